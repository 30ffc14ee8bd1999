package io.rowlock.test.database;

import io.rowlock.test.embedded.QuietLogger;
import java.util.Map;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;

/** Rowlock's own migrations, run the way the starter runs them. */
final class RowlockTables {

    private static final String PREFIX = "rowlock_";
    private static final String SCRIPTS = "db/rowlock/mysql";

    private RowlockTables() {}

    static void createIn(DataSource dataSource) {
        if (RowlockTables.class.getClassLoader().getResource(SCRIPTS) == null) {
            return;
        }
        Flyway flyway = Flyway.configure()
                .dataSource(dataSource)
                .locations("classpath:" + SCRIPTS)
                .table(PREFIX + "schema_history")
                .placeholders(Map.of("prefix", PREFIX))
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .load();
        // Flyway reports every step at INFO and, on a MySQL newer than itself, a warning each time.
        try (QuietLogger quiet = QuietLogger.atError("org.flywaydb")) {
            flyway.migrate();
        }
    }
}
