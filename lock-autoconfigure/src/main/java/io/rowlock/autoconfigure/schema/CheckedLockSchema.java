package io.rowlock.autoconfigure.schema;

import io.rowlock.autoconfigure.datasource.LockDataSource;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** Looks whether the lock tables are there; all that can be done without Flyway. */
public final class CheckedLockSchema implements LockSchemaInitializer {
    private final LockDataSource dataSource;
    private final TablePrefix prefix;
    private final Duration timeout;

    /** @param timeout how long opening the first connection may take */
    public CheckedLockSchema(LockDataSource dataSource, TablePrefix prefix, Duration timeout) {
        this.dataSource = dataSource;
        this.prefix = prefix;
        this.timeout = timeout;
    }

    @Override
    public void afterPropertiesSet() {
        dataSource.forSchema(timeout, this::check);
    }

    private void check(DataSource schema) {
        try {
            LockTables tables = new LockTables(schema, prefix);
            tables.requireSupportedVersion();
            tables.requireNoneOfASnapshot();
            if (!tables.exist()) {
                throw SchemaFailure.missing(
                        prefix,
                        "Add org.flywaydb:flyway-core and org.flywaydb:flyway-mysql, then Rowlock creates its tables, or ");
            }
        } catch (SQLException ex) {
            throw SchemaFailure.of(ex, prefix, timeout);
        }
    }
}
