package io.rowlock.benchmark.workload;

import io.rowlock.benchmark.contender.Contenders;
import io.rowlock.benchmark.contender.Locks;
import io.rowlock.benchmark.contender.StarterApplication;
import io.rowlock.benchmark.report.Units;
import io.rowlock.benchmark.server.Usage;
import io.rowlock.store.Maintenance;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * A round of the clean-up over a table in which most keys have been idle for longer than they are kept, alone and beside a load, whose
 * share of the server's CPU time is told by what a key costs alone.
 */
final class CleanUp implements Workload {
    private static final String CONTENDER = "rowlock-clean-up";
    private static final String RAW = "raw-delete";
    private static final int LOAD = 8;
    private static final byte[] LAST = {(byte) 0xFF};
    private static final int IDLE = 50_000;

    /** Ten digits, crossed: the recursion of a common table expression is limited. */
    private static final String FILL = """
            INSERT INTO rowlock_lock (lock_key, slot, shared, owner, fence, acquired_at, expires_at)
            SELECT CONCAT('idle:', a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d), 0, 0, '', 1, '1970-01-01', '1970-01-01'
            FROM %1$s a, %1$s b, %1$s c, %1$s e, (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3
                  UNION ALL SELECT 4) f""".formatted("""
            (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5
             UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)""");

    @Override
    public String name() {
        return "clean-up";
    }

    @Override
    public void measure(Run run) throws Exception {
        try (ConfigurableApplicationContext context =
                StarterApplication.onDatabase(run.servers(), 2, OnDatabase.class, "rowlock.cleanup.interval=1d")) {
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            Maintenance maintenance = context.getBean(Maintenance.class);
            run.samples().showInOrder(List.of(RAW, CONTENDER));
            jdbc.update(FILL);
            maintenance.cleanUp(); // the first one of a table only notes its greatest token
            for (int round = 0; round <= run.settings().rounds(); round++) {
                Cleaned raw = cleaned(run, jdbc, () -> delete(jdbc));
                Cleaned alone = cleaned(run, jdbc, maintenance::cleanUp);
                Cleaned beside = besideALoad(run, () -> cleaned(run, jdbc, maintenance::cleanUp));
                if (round > 0) {
                    note(run, RAW, raw);
                    note(run, CONTENDER, alone);
                    run.samples().add(name(), CONTENDER, Units.KEYS_BESIDE, beside.keysPerSecond());
                    if (Double.isFinite(alone.serverMicros())) {
                        double share = 100 * IDLE * alone.serverMicrosAKey() / beside.serverMicros();
                        run.samples().add(name(), CONTENDER, Units.SERVER_SHARE, share);
                    }
                }
            }
        }
    }

    private void note(Run run, String contender, Cleaned cleaned) {
        run.samples().add(name(), contender, Units.KEYS, cleaned.keysPerSecond());
        if (Double.isFinite(cleaned.serverMicros())) {
            run.samples().add(name(), contender, Units.SERVER_CPU_A_KEY, cleaned.serverMicrosAKey());
        }
    }

    /** A table without its idle keys, and what that took. */
    private record Cleaned(double seconds, double serverMicros) {
        double keysPerSecond() {
            return IDLE / seconds;
        }

        double serverMicrosAKey() {
            return serverMicros / IDLE;
        }
    }

    private static Cleaned cleaned(Run run, JdbcTemplate jdbc, Runnable cleanUp) throws SQLException {
        jdbc.update(FILL);
        Usage before = run.meter().read();
        long begin = System.nanoTime();
        cleanUp.run();
        double seconds = (System.nanoTime() - begin) / 1e9;
        Usage usage = run.meter().read().since(before);
        requireEmpty(jdbc);
        return new Cleaned(seconds, usage.serverMicros());
    }

    /** The least that removes the keys in batches of the same size, and asks nothing about them. */
    private static void delete(JdbcTemplate jdbc) {
        byte[] from = {};
        while (from != null) {
            List<byte[]> end = jdbc.queryForList(
                    "SELECT lock_key FROM rowlock_lock WHERE lock_key > ? ORDER BY lock_key LIMIT 1 OFFSET 499",
                    byte[].class,
                    from);
            byte[] to = end.isEmpty() ? null : end.get(0);
            jdbc.update(
                    "DELETE FROM rowlock_lock WHERE lock_key > ? AND lock_key <= ? AND lock_key LIKE 'idle:%'",
                    from, to == null ? LAST : to);
            from = to;
        }
    }

    /** Does it while threads acquire and release bare leases. */
    private static Cleaned besideALoad(Run run, Callable<Cleaned> cleanUp) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(LOAD);
        AtomicBoolean over = new AtomicBoolean();
        try (Locks locks = Contenders.named("raw-lease").open(run.servers(), LOAD)) {
            List<Future<Void>> load = new ArrayList<>();
            for (int thread = 0; thread < LOAD; thread++) {
                String key = "clean-up:" + thread;
                load.add(threads.submit(() -> repeat(locks, key, over)));
            }
            Cleaned cleaned = cleanUp.call();
            over.set(true);
            for (Future<Void> each : load) {
                each.get();
            }
            return cleaned;
        } finally {
            over.set(true);
            threads.shutdown();
        }
    }

    private static Void repeat(Locks locks, String key, AtomicBoolean over) throws Exception {
        try (Load.PairLoop pair = Load.PairLoop.of(locks, key)) {
            while (!over.get()) {
                pair.once();
            }
        }
        return null;
    }

    private static void requireEmpty(JdbcTemplate jdbc) {
        Integer left =
                jdbc.queryForObject("SELECT COUNT(*) FROM rowlock_lock WHERE lock_key LIKE 'idle:%'", Integer.class);
        if (left == null || left > 0) {
            throw new IllegalStateException(left + " idle keys are left");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OnDatabase {}
}
