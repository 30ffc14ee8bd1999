package io.rowlock.benchmark.workload;

import io.rowlock.benchmark.contender.Ability;
import io.rowlock.benchmark.contender.Contender;
import io.rowlock.benchmark.process.HeldTime;
import io.rowlock.benchmark.process.Nodes;
import io.rowlock.benchmark.report.Statistics;
import io.rowlock.benchmark.report.Units;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Four processes hold one key for 5 ms in turn and want it again 5 ms after. So three wait whenever it is released, and the
 * one that has just had it is not there to snatch it from them.
 */
final class Handoff implements Workload {
    private static final int PROCESSES = 4;
    private static final long BODY = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long START = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long RUN_IN = TimeUnit.MILLISECONDS.toNanos(400);
    private static final int LONGER = 2;

    @Override
    public String name() {
        return "handoff";
    }

    @Override
    public void measure(Run run) throws Exception {
        try (Nodes nodes = new Nodes(run.servers(), PROCESSES)) {
            nodes.requireCommonClock();
            List<Contender> contenders = Run.withoutVariants(run.contenders(Ability.WAITING));
            run.rounds(name(), contenders, 0, (contender, counts) -> warmUp(run, nodes, contender));
            run.rounds(
                    name(),
                    contenders,
                    run.settings().rounds(),
                    (contender, counts) -> round(run, nodes, contender, counts));
            run.rounds(name(), contenders, 1, (contender, counts) -> {
                if (counts) {
                    trials(run, nodes, contender);
                }
            });
        }
    }

    /** Lets the processes hand on a key as fast as they can: {@link WarmUp} was in another process. */
    private static void warmUp(Run run, Nodes nodes, Contender contender) throws Exception {
        String key = contender.name() + ":warm";
        try {
            nodes.askAll("open", contender.name(), key, 1);
            long start = System.nanoTime() + START;
            Duration time = run.settings().warmUp().dividedBy(2);
            List<String> unused = nodes.askAll("loop", key, start, start + time.toNanos(), 0);
        } finally {
            nodes.askAll("close");
        }
    }

    private void round(Run run, Nodes nodes, Contender contender, boolean counts) throws Exception {
        String key = contender.name() + ":handoff";
        try {
            nodes.askAll("open", contender.name(), key, 1);
            Duration time = run.settings().turn(LONGER, counts);
            long start = System.nanoTime() + START;
            long begin = start + RUN_IN;
            long end = begin + time.toNanos();
            for (int i = 0; i < nodes.size(); i++) {
                nodes.get(i).send("loop", key, start, end, BODY);
            }
            TimeUnit.NANOSECONDS.sleep(begin - System.nanoTime());
            long before = run.meter().read().statements();
            TimeUnit.NANOSECONDS.sleep(end - System.nanoTime());
            long statements = run.meter().read().statements() - before;
            List<List<HeldTime>> times = new ArrayList<>();
            for (int i = 0; i < nodes.size(); i++) {
                times.add(HeldTime.parse(nodes.get(i).answer()));
            }
            if (counts) {
                note(run, contender, Handoffs.of(times).between(begin, end), time, statements);
            }
        } finally {
            nodes.askAll("close");
        }
    }

    private void note(Run run, Contender contender, Handoffs handoffs, Duration time, long statements) {
        List<Double> micros = handoffs.micros();
        run.samples().add(name(), contender.name(), Units.HANDOFFS, handoffs.changes() / (time.toNanos() / 1e9));
        if (!micros.isEmpty()) {
            run.samples().add(name(), contender.name(), Units.MICROS, Statistics.median(micros));
            run.samples()
                    .add(
                            name(),
                            contender.name(),
                            Units.MICROS_FROM_CALL,
                            Statistics.median(handoffs.microsFromCall()));
        }
        if (contender.can(Ability.DATABASE)) {
            double pairs = handoffs.grants().size();
            run.samples().add(name(), contender.name(), Units.STATEMENTS_A_PAIR, statements / pairs);
        }
    }

    private void trials(Run run, Nodes nodes, Contender contender) throws Exception {
        String key = contender.name() + ":fifo";
        try {
            nodes.askAll("open", contender.name(), key, 1);
            run.samples().add(name(), contender.name(), Units.TRIALS, OrderTrial.inOrder(nodes, key));
        } finally {
            nodes.askAll("close");
        }
    }
}
