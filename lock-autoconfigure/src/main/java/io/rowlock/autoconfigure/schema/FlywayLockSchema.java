package io.rowlock.autoconfigure.schema;

import io.rowlock.autoconfigure.datasource.LockDataSource;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

/**
 * Migrates or validates the lock tables with a Flyway of its own, which is no bean and has its own history: it never
 * meets the application's.
 */
public final class FlywayLockSchema implements LockSchemaInitializer {
    private static final int FIRST_LOOKS = 20;
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(100);

    private final LockDataSource dataSource;
    private final TablePrefix prefix;
    private final Duration timeout;
    private final boolean migrates;

    /**
     * @param timeout how long opening the first connection may take
     * @param migrates whether the tables are created and brought up to date, and not only checked
     */
    public FlywayLockSchema(LockDataSource dataSource, TablePrefix prefix, Duration timeout, boolean migrates) {
        this.dataSource = dataSource;
        this.prefix = prefix;
        this.timeout = timeout;
        this.migrates = migrates;
    }

    @Override
    public void afterPropertiesSet() {
        dataSource.forSchema(timeout, this::initialize);
    }

    private void initialize(DataSource schema) {
        try {
            LockTables tables = new LockTables(schema, prefix);
            tables.requireSupportedVersion();
            tables.requireNoneOfASnapshot();
            boolean haveHistory = tables.haveHistory();
            if (migrates) {
                Flyway flyway = flyway(schema);
                try (QuietFlyway quiet = QuietFlyway.begin()) {
                    migrate(tables, haveHistory, flyway);
                }
            } else if (haveHistory) {
                Flyway flyway = flyway(schema);
                try (QuietFlyway quiet = QuietFlyway.begin()) {
                    flyway.validate();
                }
            } else if (!tables.exist()) {
                throw SchemaFailure.missing(prefix, "");
            }
        } catch (SQLException | FlywayException ex) {
            throw SchemaFailure.of(ex, prefix, timeout);
        }
    }

    /**
     * Without a right, Flyway would try for nine seconds to create its table, and an upgrade would be left half done, to be
     * repaired by hand.
     */
    private static void migrate(LockTables tables, boolean haveHistory, Flyway flyway) throws SQLException {
        if (!haveHistory || flyway.info().pending().length > 0) {
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

    private Flyway flyway(DataSource schema) {
        ClassLoader classLoader = getClass().getClassLoader();
        return Flyway.configure(classLoader)
                .dataSource(schema)
                .resourceProvider(new LockScripts(classLoader))
                .javaMigrationClassProvider(List::of)
                .table(prefix.value() + "schema_history")
                .placeholders(Map.of("prefix", prefix.value()))
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .load();
    }
}
