package io.rowlock.benchmark.workload;

import io.rowlock.benchmark.contender.Ability;
import io.rowlock.benchmark.contender.Contender;
import io.rowlock.benchmark.contender.Locks;
import io.rowlock.benchmark.report.Statistics;
import io.rowlock.benchmark.report.Units;

/** Threads of one process want one key, and do nothing while they have it. */
final class ContendedInOneProcess implements Workload {
    private static final int THREADS = 16;

    /** The slowest get a few pairs a second only. */
    private static final int LONGER = 2;

    @Override
    public String name() {
        return "contended-one-process";
    }

    @Override
    public void measure(Run run) {
        run.rounds(
                name(), run.contendersInProcess(Ability.WAITING), run.settings().rounds(), (contender, counts) -> {
                    Load load = load(run, contender, counts);
                    if (counts) {
                        run.samples().add(name(), contender.name(), Units.PAIRS, load.pairsPerSecond());
                        run.samples().add(name(), contender.name(), Units.JAIN, Statistics.jain(load.pairs()));
                    }
                });
    }

    private static Load load(Run run, Contender contender, boolean counts) throws Exception {
        try (Locks locks = contender.open(run.servers(), THREADS)) {
            return Load.measure(
                    THREADS,
                    run.settings().turn(LONGER, counts),
                    run.meter(),
                    thread -> Load.PairLoop.of(locks, contender.name() + ":one"));
        }
    }
}
