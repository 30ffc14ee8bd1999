package io.rowlock.benchmark.workload;

import io.rowlock.benchmark.contender.Locks;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;

/**
 * Has every contender run until its code is compiled. What comes first would otherwise be measured in the interpreter, and
 * the more code a contender has, the worse it would look.
 */
public final class WarmUp implements Workload {
    private static final int THREADS = 8;
    private static final Duration SLICE = Duration.ofSeconds(2);

    /** Compiling for less than that part of a slice is what goes on all the time. */
    private static final double QUIET = 0.05;

    private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();

    @Override
    public String name() {
        return "warm-up";
    }

    @Override
    public void measure(Run run) {
        run.rounds(name(), run.contendersInProcess(), 0, (contender, counts) -> {
            try (Locks locks = contender.open(run.servers(), THREADS)) {
                untilQuiet(run, thread -> Load.PairLoop.of(locks, contender.name() + ":warm:" + thread));
            }
        });
    }

    /** Repeats what threads do until the compiler has no more to do for it, at most for the time that is set. */
    static void untilQuiet(Run run, Load.Loops loops) throws Exception {
        Duration left = run.settings().warmUp();
        boolean quiet = false;
        while (!quiet && !left.isZero()) {
            Duration slice = left.compareTo(SLICE) < 0 ? left : SLICE;
            long before = COMPILER.getTotalCompilationTime();
            Load unused = Load.measure(THREADS, slice, run.meter(), loops);
            quiet = COMPILER.getTotalCompilationTime() - before < QUIET * slice.toMillis();
            left = left.minus(slice);
        }
    }
}
