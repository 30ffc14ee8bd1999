package io.rowlock.autoconfigure.schema;

import io.rowlock.autoconfigure.datasource.LockDataSource;
import io.rowlock.store.jdbc.TablePrefix;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Looks whether the lock tables are there; all that can be done without Flyway. */
public final class CheckedLockSchema implements LockSchemaInitializer {
    private final LockDataSource dataSource;
    private final TablePrefix prefix;

    public CheckedLockSchema(LockDataSource dataSource, TablePrefix prefix) {
        this.dataSource = dataSource;
        this.prefix = prefix;
    }

    @Override
    public void afterPropertiesSet() {
        dataSource.forSchema(this::check);
    }

    private void check(DataSource schema) {
        try {
            LockTables tables = new LockTables(schema, prefix);
            tables.requireSupportedVersion();
            if (!tables.exist()) {
                throw SchemaFailure.missing(
                        prefix,
                        "Add org.flywaydb:flyway-core and org.flywaydb:flyway-mysql, then Rowlock creates its tables, or ");
            }
        } catch (SQLException ex) {
            throw SchemaFailure.of(ex, prefix);
        }
    }
}
