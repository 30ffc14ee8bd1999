package io.rowlock.autoconfigure;

import io.rowlock.autoconfigure.RowlockProperties.Schema.Initialize;
import io.rowlock.store.jdbc.TablePrefix;
import java.sql.SQLException;
import java.util.Map;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

/**
 * Migrates or validates the lock tables with a Flyway of its own, which is no bean and has its own history: it never
 * meets the application's.
 */
final class FlywayLockSchema implements LockSchemaInitializer {
    static final String LOCATION = "classpath:db/rowlock/mysql";

    private final LockDataSource dataSource;
    private final TablePrefix prefix;
    private final Initialize mode;

    FlywayLockSchema(LockDataSource dataSource, TablePrefix prefix, Initialize mode) {
        this.dataSource = dataSource;
        this.prefix = prefix;
        this.mode = mode;
    }

    @Override
    public void afterPropertiesSet() {
        dataSource.forSchema(this::initialize);
    }

    private void initialize(DataSource schema) {
        try {
            LockTables tables = new LockTables(schema, prefix);
            if (tables.haveHistory()) {
                run(flyway(schema));
            } else if (mode == Initialize.ALWAYS) {
                // Flyway tries for nine seconds to create its table, whatever the reason why it cannot
                tables.requireCreateRights();
                run(flyway(schema));
            } else if (!tables.exist()) {
                throw SchemaFailure.missing(prefix, "");
            }
        } catch (SQLException | FlywayException ex) {
            throw SchemaFailure.of(ex, prefix);
        }
    }

    private void run(Flyway flyway) {
        if (mode == Initialize.ALWAYS) {
            flyway.migrate();
        } else {
            flyway.validate();
        }
    }

    private Flyway flyway(DataSource schema) {
        return Flyway.configure(getClass().getClassLoader())
                .dataSource(schema)
                .locations(LOCATION)
                .failOnMissingLocations(true)
                .table(prefix.value() + "schema_history")
                .placeholders(Map.of("prefix", prefix.value()))
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .load();
    }
}
