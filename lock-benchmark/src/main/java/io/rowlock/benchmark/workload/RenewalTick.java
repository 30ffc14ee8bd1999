package io.rowlock.benchmark.workload;

import io.rowlock.benchmark.contender.Participant;
import io.rowlock.benchmark.report.Units;
import io.rowlock.benchmark.server.Servers;
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

        default boolean isOnDatabase() {
            return true;
        }

        @Override
        void close() throws Exception;
    }

    @Override
    public String name() {
        return "renewal-2000";
    }

    @Override
    public void measure(Run run) throws Exception {
        List<HeldLocks> all = all(run.servers());
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

    private static List<HeldLocks> all(Servers servers) throws Exception {
        List<HeldLocks> all = new ArrayList<>();
        all.add(new BareRenewal(servers));
        all.add(StoreRenewal.onDatabase(servers));
        all.add(new RegistryRenewal(servers));
        if (servers.redisUrl() != null) {
            all.add(StoreRenewal.onRedis(servers));
        }
        return all;
    }

    private static List<String> keys(String contender) {
        return IntStream.range(0, LOCKS)
                .mapToObj(i -> "%s:renewed:%04d".formatted(contender, i))
                .toList();
    }

    private void tick(Run run, HeldLocks locks, boolean counts) throws Exception {
        long before = run.meter().read().statements();
        long begin = System.nanoTime();
        locks.renewAll();
        double millis = (System.nanoTime() - begin) / 1e6;
        double statements = run.meter().read().statements() - before;
        if (counts) {
            run.samples().add(name(), locks.name(), Units.MILLIS, millis);
            if (locks.isOnDatabase()) {
                run.samples().add(name(), locks.name(), Units.STATEMENTS_A_TICK, statements);
            }
        }
    }
}
