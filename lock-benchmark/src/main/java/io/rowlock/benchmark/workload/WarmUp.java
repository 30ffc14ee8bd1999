package io.rowlock.benchmark.workload;

import io.rowlock.benchmark.contender.Locks;
import java.time.Duration;

/**
 * Has every contender run until its code is compiled. What comes first would otherwise be measured in the interpreter, and
 * the more code a contender has, the worse it would look.
 */
public final class WarmUp implements Workload {
    private static final int THREADS = 8;

    @Override
    public String name() {
        return "warm-up";
    }

    @Override
    public void measure(Run run) {
        Duration time = run.settings().warmUp();
        run.rounds(name(), run.contenders(), 0, (contender, counts) -> {
            try (Locks locks = contender.open(run.servers(), THREADS)) {
                Load unused = Load.measure(
                        THREADS,
                        time,
                        run.statements(),
                        thread -> PairLoop.of(locks, contender.name() + ":warm:" + thread));
            }
        });
    }
}
