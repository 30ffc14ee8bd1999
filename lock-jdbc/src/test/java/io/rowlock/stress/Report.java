package io.rowlock.stress;

import io.rowlock.test.RunReport;
import io.rowlock.test.database.DatabaseServer;
import java.sql.SQLException;

/** What a run came to, for people to read. */
record Report(DatabaseServer server, String workload, long seed, Oracle oracle, Disturber disturber) {
    static Report of(DatabaseServer server, String workload, long seed, Oracle oracle, Disturber disturber) {
        return new Report(server, workload, seed, oracle, disturber);
    }

    /** Some work. */
    @FunctionalInterface
    interface Work {
        void run() throws InterruptedException;
    }

    void during(Work work, Work judgement) throws InterruptedException, SQLException {
        long deadlocks = disturber.deadlocks();
        long start = System.nanoTime();
        work.run();
        judgement.run();
        long millis = (System.nanoTime() - start) / 1_000_000;
        StringBuilder text = new StringBuilder("%nStress of %s on %s %s, seed %d, %d ms%n"
                .formatted(workload, server.flavor().label(), server.version(), seed, millis));
        oracle.counts().forEach((what, count) -> text.append("%10d  %s%n".formatted(count.sum(), what)));
        text.append(
                "%10d  deadlocks the server resolved, all its users'%n".formatted(disturber.deadlocks() - deadlocks));
        text.append("%10d  violations%n".formatted(oracle.violations().size()));
        oracle.violations().stream()
                .limit(20)
                .forEach(violation ->
                        text.append("            ").append(violation).append('\n'));
        RunReport.add(text.toString());
    }
}
