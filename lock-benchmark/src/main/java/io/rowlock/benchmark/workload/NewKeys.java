package io.rowlock.benchmark.workload;

import io.rowlock.benchmark.contender.Ability;
import io.rowlock.benchmark.contender.Contender;
import io.rowlock.benchmark.contender.Locks;
import io.rowlock.benchmark.contender.Participant;
import io.rowlock.benchmark.contender.Worker;
import io.rowlock.benchmark.report.Units;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;

/**
 * Threads acquire and release keys that have never been used; beside them, for comparison, Rowlock with one key a thread.
 *
 * @param threads how many
 */
record NewKeys(int threads) implements Workload {
    private static final String KNOWN = "rowlock-lease";

    private record Kind(String name, Contender contender, boolean fresh) implements Participant {}

    @Override
    public String name() {
        return "new-keys-" + threads;
    }

    @Override
    public void measure(Run run) {
        List<Kind> kinds = new ArrayList<>();
        for (Contender contender : Run.withoutVariants(run.contenders())) {
            if (contender.name().equals(KNOWN)) {
                kinds.add(new Kind(KNOWN + "-known", contender, false));
            }
            if (!contender.can(Ability.PREPARES)) {
                kinds.add(new Kind(contender.name(), contender, true));
            }
        }
        run.rounds(name(), kinds, run.settings().rounds(), (kind, counts) -> {
            Load load = load(run, kind, counts);
            if (counts) {
                run.samples().add(name(), kind.name(), Units.PAIRS, load.pairsPerSecond());
                load.addCosts(run.samples(), name(), kind.name(), kind.contender()::can);
            }
        });
    }

    private Load load(Run run, Kind kind, boolean counts) throws Exception {
        CyclicBarrier all = new CyclicBarrier(threads);
        try (Locks locks = kind.contender().open(run.servers(), threads)) {
            return Load.measure(threads, run.settings().turn(1, counts), run.meter(), thread -> {
                Load.PairLoop known =
                        Load.PairLoop.of(locks, kind.name() + ":own:" + thread).heldWith(all);
                return kind.fresh() ? new NewKeyLoop(known.worker()) : known;
            });
        }
    }

    private static final class NewKeyLoop implements Load.Loop {
        private final Worker worker;
        private final String begin = UUID.randomUUID() + ":";
        private int keys;

        NewKeyLoop(Worker worker) {
            this.worker = worker;
        }

        @Override
        public void once() throws Exception {
            worker.lock(begin + keys++);
            worker.unlock();
        }

        @Override
        public void close() throws Exception {
            worker.close();
        }
    }
}
