package io.rowlock.benchmark.workload;

import io.rowlock.benchmark.contender.Ability;
import io.rowlock.benchmark.contender.Contender;
import io.rowlock.benchmark.contender.Locks;
import io.rowlock.benchmark.contender.Worker;
import io.rowlock.benchmark.process.Nodes;
import io.rowlock.benchmark.report.Units;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What the database has to do while a lock is held and threads in three processes wait for it. */
final class WaitingLoad implements Workload {
    private static final int PROCESSES = 3;
    private static final int WAITERS = 4;
    private static final int SETTLING_SECONDS = 1;
    private static final int SECONDS = 5;

    @Override
    public String name() {
        return "waiting-load";
    }

    @Override
    public void measure(Run run) throws Exception {
        try (Nodes nodes = new Nodes(run.servers(), PROCESSES)) {
            List<Contender> contenders = Run.withoutVariants(run.contenders(Ability.WAITING, Ability.DATABASE));
            run.rounds(name(), contenders, 1, (contender, counts) -> {
                if (counts) {
                    run.samples().add(name(), contender.name(), Units.STATEMENTS_A_SECOND, load(run, nodes, contender));
                }
            });
        }
    }

    private static double load(Run run, Nodes nodes, Contender contender) throws Exception {
        String key = contender.name() + ":waiting";
        try (Locks locks = contender.open(run.servers(), 1);
                Worker holder = locks.worker()) {
            holder.prepare(key);
            nodes.askAll("open", contender.name(), key, WAITERS);
            holder.lock(key);
            nodes.askAll("wait", key, WAITERS);
            TimeUnit.SECONDS.sleep(SETTLING_SECONDS);
            long before = run.meter().read().statements();
            long begin = System.nanoTime();
            TimeUnit.SECONDS.sleep(SECONDS);
            double statements = run.meter().read().statements() - before;
            double seconds = (System.nanoTime() - begin) / 1e9;
            holder.unlock();
            nodes.askAll("waited");
            return statements / seconds;
        } finally {
            nodes.askAll("close");
        }
    }
}
