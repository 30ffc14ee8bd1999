package io.rowlock.benchmark.workload;

import io.rowlock.benchmark.contender.StarterApplication;
import io.rowlock.benchmark.report.Units;
import io.rowlock.benchmark.server.Usage;
import io.rowlock.store.Maintenance;
import java.util.List;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** A round of the clean-up over a table in which most keys have been idle for longer than they are kept. */
final class CleanUp implements Workload {
    private static final String CONTENDER = "rowlock-clean-up";
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
            run.samples().showInOrder(List.of(CONTENDER));
            for (int round = 0; round <= run.settings().rounds(); round++) {
                jdbc.update(FILL);
                if (round == 0) {
                    maintenance.cleanUp(); // the first one of a table only notes its greatest token
                }
                Usage before = run.meter().read();
                long begin = System.nanoTime();
                String done = maintenance.cleanUp();
                double seconds = (System.nanoTime() - begin) / 1e9;
                Usage usage = run.meter().read().since(before);
                requireEmpty(jdbc, done);
                if (round > 0) {
                    run.samples().add(name(), CONTENDER, Units.KEYS, IDLE / seconds);
                    if (Double.isFinite(usage.serverMicros())) {
                        run.samples().add(name(), CONTENDER, Units.SERVER_CPU_A_KEY, usage.serverMicros() / IDLE);
                    }
                }
            }
        }
    }

    private static void requireEmpty(JdbcTemplate jdbc, String done) {
        Integer left =
                jdbc.queryForObject("SELECT COUNT(*) FROM rowlock_lock WHERE lock_key LIKE 'idle:%'", Integer.class);
        if (left == null || left > 0) {
            throw new IllegalStateException("%s idle keys are left: %s".formatted(left, done));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OnDatabase {}
}
