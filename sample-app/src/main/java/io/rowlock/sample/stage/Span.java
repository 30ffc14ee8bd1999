package io.rowlock.sample.stage;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The time of some work, in microseconds since 1970: all nodes run on one machine, so their spans compare.
 *
 * @param start its beginning
 * @param end its end
 */
public record Span(long start, long end) {

    /** Returns the time as spans count it. */
    public static long now() {
        return micros(Instant.now());
    }

    static long micros(Instant at) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, at);
    }

    /** Returns the span from then to now. */
    public static Span since(long start) {
        return new Span(start, now());
    }

    /** Lets time pass. A single park may end early. */
    public static void pass(Duration time) {
        new CompletableFuture<>()
                .completeOnTimeout(time, time.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    /** Counts how many were going on at the same time at most. */
    public static int peak(List<Span> spans) {
        return spans.stream()
                .mapToInt(span -> (int) spans.stream()
                        .filter(other -> other.includes(span.start))
                        .count())
                .max()
                .orElse(0);
    }

    /** Counts the pairs of one and the other that overlap. */
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
