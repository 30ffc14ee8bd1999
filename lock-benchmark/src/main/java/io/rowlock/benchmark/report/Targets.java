package io.rowlock.benchmark.report;

import static io.rowlock.benchmark.report.Target.Bound.AT_LEAST;
import static io.rowlock.benchmark.report.Target.Bound.AT_MOST;
import static io.rowlock.benchmark.report.Target.Bound.BELOW;

import java.util.ArrayList;
import java.util.List;

/** All that is to be reached. */
public final class Targets {
    /** A pair that counting cuts in two adds a statement to hundreds. */
    private static final double TWO_AND_EDGES = 2.05;

    private static final String LEASE = "rowlock-lease";
    private static final String ROW_LOCK = "rowlock-row-lock";
    private static final String REDIS = "rowlock-redis";
    private static final String SHEDLOCK = "shedlock";
    private static final String SPRING = "spring-integration-jdbc";
    private static final String REDISSON = "redisson";

    private Targets() {}

    /** @return them, in the order of the workloads */
    public static List<Target> all() {
        List<Target> all = new ArrayList<>();
        all.addAll(uncontended("uncontended-1", 0.97, 1.6, 1.7));
        all.add(new Target("uncontended-1", Units.PAIRS, REDIS, REDISSON, AT_LEAST, 1));
        all.add(new Target("uncontended-1", Units.STATEMENTS_A_PAIR, LEASE, null, AT_MOST, TWO_AND_EDGES));
        all.addAll(uncontended("uncontended-8", 0.97, 1.6, 1.7));
        all.add(new Target("uncontended-8", Units.PAIRS, REDIS, REDISSON, AT_LEAST, 1.3));
        all.addAll(uncontended("uncontended-32", 1.4, 2.7, 2.7));
        all.add(new Target("uncontended-32", Units.PAIRS, REDIS, REDISSON, AT_LEAST, 1.3));
        all.add(new Target("uncontended-128", Units.PAIRS, LEASE, "raw-lease", AT_LEAST, 3));
        all.add(new Target("uncontended-128", Units.PAIRS, LEASE, REDISSON, AT_LEAST, 1));
        all.addAll(List.of(
                new Target("contended-one-process", Units.PAIRS, LEASE, REDISSON, AT_LEAST, 20),
                new Target("contended-one-process", Units.PAIRS, LEASE, SPRING, AT_LEAST, 100),
                new Target("contended-one-process", Units.PAIRS, LEASE, "reentrant-lock-fair", AT_LEAST, 0.5),
                new Target("contended-one-process", Units.PAIRS, REDIS, REDISSON, AT_LEAST, 40),
                new Target("contended-one-process", Units.JAIN, LEASE, null, AT_LEAST, 0.99),
                new Target("handoff", Units.MICROS_FROM_CALL, LEASE, REDISSON, AT_MOST, 1.3),
                new Target("handoff", Units.MICROS, LEASE, REDISSON, AT_MOST, 1),
                new Target("handoff", Units.MICROS, LEASE, SPRING, AT_MOST, 0.3),
                new Target("handoff", Units.MICROS_FROM_CALL, REDIS, REDISSON, AT_MOST, 0.6),
                new Target("handoff", Units.MICROS_FROM_CALL, ROW_LOCK, "raw-get-lock", AT_MOST, 2),
                new Target("handoff", Units.STATEMENTS_A_PAIR, LEASE, null, AT_MOST, 6),
                new Target("handoff", Units.TRIALS, LEASE, null, AT_LEAST, 11),
                new Target("readwrite", Units.OPERATIONS, LEASE, REDISSON, AT_LEAST, 5),
                new Target("readwrite", Units.WRITER_WAIT, LEASE, REDISSON, AT_MOST, 0.1),
                new Target("readwrite", Units.OPERATIONS, REDIS, REDISSON, AT_LEAST, 2),
                new Target("readwrite", Units.WRITER_WAIT, REDIS, REDISSON, AT_MOST, 0.05),
                new Target("renewal-2000", Units.STATEMENTS_A_TICK, LEASE, null, AT_MOST, 2),
                new Target("renewal-2000", Units.MILLIS, LEASE, "raw-lease", AT_MOST, 2),
                new Target("renewal-2000", Units.MILLIS, LEASE, SPRING, AT_MOST, 0.02),
                new Target("transaction-8", Units.OPERATIONS, "rowlock-transaction", "business-alone", AT_LEAST, 0.9),
                new Target("annotation", Units.MICROS, "rowlock-annotation", "rowlock-client-call", AT_MOST, 1.05),
                new Target("annotation", Units.MICROS_ON_TOP, "rowlock-annotation", null, AT_MOST, 5),
                new Target("annotation", Units.MICROS_ON_TOP, "rowlock-annotation-stub", null, AT_MOST, 5),
                new Target("memory", Units.RETAINED_A_KEY, "rowlock-client-stub", null, BELOW, 1),
                new Target("waiting-load", Units.STATEMENTS_A_SECOND, LEASE, null, BELOW, 200)));
        return all;
    }

    private static List<Target> uncontended(String workload, double overRaw, double overShedlock, double overSpring) {
        return List.of(
                new Target(workload, Units.PAIRS, LEASE, "raw-lease", AT_LEAST, overRaw),
                new Target(workload, Units.PAIRS, LEASE, SHEDLOCK, AT_LEAST, overShedlock),
                new Target(workload, Units.PAIRS, LEASE, SPRING, AT_LEAST, overSpring),
                new Target(workload, Units.PAIRS, ROW_LOCK, "raw-row-lock", AT_LEAST, 0.9),
                new Target(workload, Units.PAIRS, ROW_LOCK, REDISSON, AT_LEAST, 1.5));
    }
}
