package io.rowlock.benchmark.workload;

import io.rowlock.benchmark.process.HeldTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * How a key went from process to process.
 *
 * @param grants all grants of all processes, in the order in which they were made
 */
record Handoffs(List<Grant> grants) {

    /** A grant and the process it was made to. */
    record Grant(int process, HeldTime time) {}

    /** @param times when each process held it */
    static Handoffs of(List<List<HeldTime>> times) {
        List<Grant> grants = new ArrayList<>();
        for (int process = 0; process < times.size(); process++) {
            for (HeldTime time : times.get(process)) {
                grants.add(new Grant(process, time));
            }
        }
        grants.sort(Comparator.comparingLong(grant -> grant.time().acquired()));
        return new Handoffs(grants);
    }

    /** Those that were made in a span of time. */
    Handoffs between(long begin, long end) {
        return new Handoffs(grants.stream()
                .filter(grant ->
                        grant.time().acquired() - begin >= 0 && grant.time().acquired() - end < 0)
                .toList());
    }

    /**
     * From release returned to the next acquire returned, in whichever process: all that time the lock was free while others
     * waited for it.
     */
    List<Double> micros() {
        return microsSince(HeldTime::released);
    }

    /** From release called to the next acquire returned, which can never be negative. */
    List<Double> microsFromCall() {
        return microsSince(HeldTime::releasing);
    }

    private List<Double> microsSince(ToLongFunction<HeldTime> release) {
        List<Double> micros = new ArrayList<>();
        for (int i = 1; i < grants.size(); i++) {
            long released = release.applyAsLong(grants.get(i - 1).time());
            micros.add((grants.get(i).time().acquired() - released) / 1e3);
        }
        return micros;
    }

    /** How often another process got it than had it. */
    long changes() {
        return IntStream.range(1, grants.size())
                .filter(i -> grants.get(i).process() != grants.get(i - 1).process())
                .count();
    }

    /** The processes in the order of their grants. */
    List<Integer> processes() {
        return grants.stream().map(Grant::process).toList();
    }
}
