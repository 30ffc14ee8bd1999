package io.rowlock.benchmark.workload;

import io.rowlock.benchmark.contender.Participant;
import io.rowlock.benchmark.process.ApplicationStart;
import io.rowlock.benchmark.report.Units;
import java.util.List;

/**
 * A small web application starts with and without the starter, in turns, and serves its first call. The tables are there. One that opens a
 * connection at its start shows what of the starter's time is the driver's and the pool's.
 */
final class StartUp implements Workload {
    private static final String FIRST_LOCK = "first-lock";

    /** A start takes seconds, however long other rounds are. */
    private static final int STARTS = 10;

    private record Kind(String name, boolean starter, boolean connects) implements Participant {}

    @Override
    public String name() {
        return "startup";
    }

    @Override
    public void measure(Run run) {
        List<Kind> kinds = List.of(
                new Kind("business-alone", false, false),
                new Kind("business-connected", false, true),
                new Kind("rowlock-starter", true, false));
        run.rounds(name(), kinds, STARTS, (kind, counts) -> {
            ApplicationStart start = ApplicationStart.of(run.servers(), kind.starter(), kind.connects());
            if (counts) {
                run.samples().add(name(), kind.name(), Units.MILLIS, start.wallMillis());
                run.samples().add(name(), kind.name(), Units.CPU_MILLIS, start.cpuMillis());
                run.samples().add(FIRST_LOCK, kind.name(), Units.MILLIS, start.firstMillis());
            }
        });
    }
}
