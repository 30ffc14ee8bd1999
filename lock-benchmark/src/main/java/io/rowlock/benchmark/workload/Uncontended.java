package io.rowlock.benchmark.workload;

import io.rowlock.benchmark.contender.Contender;
import io.rowlock.benchmark.contender.Locks;
import io.rowlock.benchmark.report.Units;
import java.util.concurrent.CyclicBarrier;

/**
 * Threads take and release a key of their own each.
 *
 * @param threads how many
 */
record Uncontended(int threads) implements Workload {

    @Override
    public String name() {
        return "uncontended-" + threads;
    }

    /** Those of the pool, and of a second one that some contenders have beside it. */
    @Override
    public int connections() {
        return Workload.super.connections() + 2 * threads;
    }

    @Override
    public void measure(Run run) {
        run.rounds(name(), run.contenders(), run.settings().rounds(), (contender, counts) -> {
            Load load = load(run, contender, counts);
            if (counts) {
                run.samples().add(name(), contender.name(), Units.PAIR_P50, load.micros(0.5)); // fails without a pair
                run.samples().add(name(), contender.name(), Units.PAIRS, load.pairsPerSecond());
                run.samples().add(name(), contender.name(), Units.PAIR_P99, load.micros(0.99));
                load.addCosts(run.samples(), name(), contender.name(), contender::can);
            }
        });
    }

    private Load load(Run run, Contender contender, boolean counts) throws Exception {
        CyclicBarrier all = new CyclicBarrier(threads);
        try (Locks locks = contender.open(run.servers(), threads)) {
            return Load.measure(
                    threads,
                    run.settings().turn(1, counts),
                    run.meter(),
                    thread -> Load.PairLoop.of(locks, contender.name() + ":own:" + thread)
                            .heldWith(all));
        }
    }
}
