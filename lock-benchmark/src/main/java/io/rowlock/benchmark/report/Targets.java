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

    /** The factor by which it has to be faster than the peers on the database. */
    private static final double PEERS = 1.3;

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
        all.addAll(uncontended("uncontended-1", 0.92, 0.88, 1.05));
        all.add(new Target("uncontended-1", Units.STATEMENTS_A_PAIR, LEASE, null, AT_MOST, TWO_AND_EDGES));
        all.addAll(uncontended("uncontended-8", 0.92, 0.85, 1.15));
        all.addAll(uncontended("uncontended-32", 1.5, 0.85, 1.5));
        all.addAll(newKeys("new-keys-1", 0.9));
        all.addAll(newKeys("new-keys-8", 0.8));
        all.addAll(newKeys("new-keys-32", 0.5));
        all.addAll(List.of(
                new Target("uncontended-128", Units.PAIRS, LEASE, REDISSON, AT_LEAST, 1),
                new Target("contended-one-process", Units.PAIRS, LEASE, REDISSON, AT_LEAST, 12),
                new Target("contended-one-process", Units.PAIRS, LEASE, SPRING, AT_LEAST, 100),
                new Target("contended-one-process", Units.JAIN, LEASE, null, AT_LEAST, 0.99),
                new Target("handoff", Units.MICROS_FROM_CALL, LEASE, REDISSON, AT_MOST, 1.5),
                new Target("handoff", Units.MICROS, LEASE, SPRING, AT_MOST, 0.3),
                new Target("handoff", Units.MICROS_FROM_CALL, REDIS, REDISSON, AT_MOST, 0.65),
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
                new Target(
                        "transaction-8",
                        Units.OPERATIONS,
                        "rowlock-transaction",
                        "raw-one-more-statement",
                        AT_LEAST,
                        0.97),
                new Target("annotation", Units.MICROS, "rowlock-annotation", "rowlock-client-call", AT_MOST, 1.05),
                new Target("annotation", Units.MICROS_ON_TOP, "rowlock-annotation", null, AT_MOST, 5),
                new Target("annotation", Units.MICROS_ON_TOP, "rowlock-annotation-stub", null, AT_MOST, 5),
                new Target("startup", Units.CPU_MILLIS, "rowlock-starter", "business-alone", AT_MOST, 1.15),
                new Target("clean-up", Units.KEYS, "rowlock-clean-up", null, AT_LEAST, 10_000),
                new Target("clean-up", Units.SERVER_SHARE, "rowlock-clean-up", null, AT_MOST, 5),
                new Target("memory", Units.RETAINED_A_KEY, "rowlock-client-stub", null, BELOW, 1),
                new Target("waiting-load", Units.STATEMENTS_A_SECOND, LEASE, null, BELOW, 200)));
        return all;
    }

    private static List<Target> uncontended(String workload, double overRaw, double overRow, double overRedisson) {
        return List.of(
                new Target(workload, Units.PAIRS, LEASE, "raw-lease", AT_LEAST, overRaw),
                new Target(workload, Units.PAIRS, LEASE, SHEDLOCK, AT_LEAST, PEERS),
                new Target(workload, Units.PAIRS, LEASE, SPRING, AT_LEAST, PEERS),
                new Target(workload, Units.PAIRS, ROW_LOCK, "raw-row-lock", AT_LEAST, overRow),
                new Target(workload, Units.PAIRS, REDIS, REDISSON, AT_LEAST, overRedisson));
    }

    private static List<Target> newKeys(String workload, double overKnown) {
        return List.of(
                new Target(workload, Units.PAIRS, LEASE, LEASE + "-known", AT_LEAST, overKnown),
                new Target(workload, Units.PAIRS, LEASE, SHEDLOCK, AT_LEAST, PEERS),
                new Target(workload, Units.PAIRS, LEASE, SPRING, AT_LEAST, PEERS));
    }
}
