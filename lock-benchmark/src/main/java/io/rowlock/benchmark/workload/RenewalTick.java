package io.rowlock.benchmark.workload;

import io.rowlock.benchmark.contender.Participant;
import io.rowlock.benchmark.report.Units;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Renews 2,000 held locks once, as the holder's timer does. */
final class RenewalTick implements Workload {
    static final Duration TTL = Duration.ofMinutes(10);
    private static final int LOCKS = 2_000;

    /** Locks that are held, and how they are renewed. */
    interface HeldLocks extends Participant, AutoCloseable {
        void hold(List<String> keys) throws Exception;

        void renewAll() throws Exception;

        @Override
        void close() throws Exception;
    }

    @Override
    public String name() {
        return "renewal-2000";
    }

    @Override
    public void measure(Run run) throws Exception {
        List<HeldLocks> all = List.of(
                new BareRenewal(run.servers()), new StoreRenewal(run.servers()), new RegistryRenewal(run.servers()));
        try {
            List<HeldLocks> chosen = new ArrayList<>(all);
            chosen.removeIf(locks -> !run.settings().includesContender(locks.name()));
            for (HeldLocks locks : chosen) {
                locks.hold(keys(locks.name()));
            }
            run.rounds(name(), chosen, run.settings().rounds(), (locks, counts) -> tick(run, locks, counts));
        } finally {
            for (HeldLocks locks : all) {
                locks.close();
            }
        }
    }

    private static List<String> keys(String contender) {
        return IntStream.range(0, LOCKS)
                .mapToObj(i -> "%s:renewed:%04d".formatted(contender, i))
                .toList();
    }

    private void tick(Run run, HeldLocks locks, boolean counts) throws Exception {
        long before = run.statements().read();
        long begin = System.nanoTime();
        locks.renewAll();
        double millis = (System.nanoTime() - begin) / 1e6;
        double statements = run.statements().read() - before;
        if (counts) {
            run.samples().add(name(), locks.name(), Units.MILLIS, millis);
            run.samples().add(name(), locks.name(), Units.STATEMENTS_A_TICK, statements);
        }
    }
}
