package io.rowlock.autoconfigure.database;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggerConfiguration;
import org.springframework.boot.logging.LoggingSystem;

/**
 * Migrates or validates the lock tables with a Flyway of its own, which is no bean and has its own history: it never
 * meets the application's.
 *
 * @param timeout how long opening the first connection may take
 */
record FlywayLockSchema(LockTables tables, Duration timeout) {
    private static final int FIRST_LOOKS = 20;
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(100);

    /** Flyway's class that warns of servers newer than itself. Rowlock runs its scripts on such servers in its own tests. */
    private static final String WARNS_OF_NEWER_SERVERS = "org.flywaydb.core.internal.database.base.Database";

    /**
     * Sees to the tables of a server that is fit.
     *
     * @param migrates true to create the tables and bring them up to date, and not only check them
     * @throws SQLException if the server cannot be asked
     */
    void prepare(boolean migrates) throws SQLException {
        LoggingSystem logging = LoggingSystem.get(getClass().getClassLoader());
        LoggerConfiguration before = logging.getLoggerConfiguration(WARNS_OF_NEWER_SERVERS);
        logging.setLogLevel(WARNS_OF_NEWER_SERVERS, LogLevel.ERROR);
        Flyway flyway = flyway();
        try {
            if (migrates) {
                migrate(flyway);
            } else {
                flyway.validate();
            }
        } catch (FlywayException ex) {
            throw SchemaFailure.of(ex, tables.prefix(), timeout);
        } finally {
            logging.setLogLevel(WARNS_OF_NEWER_SERVERS, before == null ? null : before.getConfiguredLevel());
        }
    }

    /**
     * Without a right, Flyway would try for nine seconds to create its table, and an upgrade would be left half done, to be
     * repaired by hand.
     */
    private void migrate(Flyway flyway) throws SQLException {
        if (!tables.haveHistory() || flyway.info().pending().length > 0) {
            tables.requireDdlRights();
        }
        migrateWithOthers(flyway, FIRST_LOOKS);
    }

    /**
     * Of nodes that start at once on an empty schema, one can meet the history of another that has not begun it yet, or that has
     * begun it meanwhile.
     */
    private static void migrateWithOthers(Flyway flyway, int looks) {
        try {
            flyway.migrate();
        } catch (FlywayException ex) {
            String message = String.valueOf(ex.getMessage());
            boolean metAnother =
                    message.contains("already exists, and is empty") || message.contains("Unable to baseline");
            if (looks == 0 || !metAnother) {
                throw ex;
            }
            LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
            migrateWithOthers(flyway, looks - 1);
        }
    }

    private Flyway flyway() {
        ClassLoader classLoader = getClass().getClassLoader();
        String prefix = tables.prefix().value();
        return Flyway.configure(classLoader)
                .dataSource(tables.dataSource())
                .resourceProvider(LockScripts.in(classLoader))
                .javaMigrationClassProvider(List::of)
                .table(prefix + "schema_history")
                .placeholders(Map.of("prefix", prefix))
                .baselineOnMigrate(true)
                .baselineVersion(LockTables.BASELINE)
                .load();
    }
}
