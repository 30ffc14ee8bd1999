package io.rowlock.autoconfigure.database;

import io.rowlock.store.jdbc.session.TablePrefix;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * Proves that the server is fit for locks, and sees to their tables.
 *
 * @param timeout how long opening the first connection may take
 * @param preparation sees to the tables of a server that is fit
 */
record LockSchema(LockDataSource dataSource, TablePrefix prefix, Duration timeout, Preparation preparation)
        implements LockSchemaInitializer {
    /** Creates, changes or only checks the tables. */
    @FunctionalInterface
    interface Preparation {
        /** @throws SQLException if the server cannot be asked */
        void prepare(DataSource schema, LockTables tables) throws SQLException;
    }

    @Override
    public void afterPropertiesSet() {
        dataSource.forSchema(timeout, schema -> {
            LockTables tables = new LockTables(schema, prefix);
            try {
                tables.requireSupportedVersion();
                tables.requireNoneOfASnapshot();
                preparation.prepare(schema, tables);
            } catch (SQLException ex) {
                throw SchemaFailure.of(ex, prefix, timeout);
            }
        });
    }
}
