package io.rowlock.sample.work;

import io.rowlock.sample.watch.Moment;
import java.util.List;

/**
 * When some work was going on, in microseconds since 1970: all nodes run on one machine, so their spans compare.
 *
 * @param start when it began
 * @param end when it was over
 */
public record Span(long start, long end) {

    /** Work that was never begun; it overlaps nothing. */
    public static final Span NEVER = new Span(0, 0);

    /** Now, as spans count. */
    public static long now() {
        return Moment.now();
    }

    /** From then to now. */
    public static Span since(long start) {
        return new Span(start, now());
    }

    /** How many were going on at the same time at most. */
    public static int peak(List<Span> spans) {
        return spans.stream()
                .mapToInt(span -> (int) spans.stream()
                        .filter(other -> other.includes(span.start))
                        .count())
                .max()
                .orElse(0);
    }

    /** How many pairs of one and the other overlap. */
    public static int overlaps(List<Span> some, List<Span> others) {
        return (int) some.stream()
                .flatMap(one -> others.stream().filter(one::overlaps))
                .count();
    }

    private boolean overlaps(Span other) {
        return start - other.end < 0 && other.start - end < 0;
    }

    private boolean includes(long moment) {
        return start - moment <= 0 && moment - end < 0;
    }
}
