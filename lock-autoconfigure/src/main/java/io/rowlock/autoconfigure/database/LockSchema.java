package io.rowlock.autoconfigure.database;

import io.rowlock.store.jdbc.session.TablePrefix;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Proves that the server is fit for locks, and sees to their tables unless they are as this release made them.
 *
 * @param timeout how long opening the first connection may take
 * @param preparation sees to the tables of a server that is fit
 */
record LockSchema(LockDataSource dataSource, TablePrefix prefix, Duration timeout, Preparation preparation)
        implements LockSchemaInitializer {
    private static final Logger log = LoggerFactory.getLogger(LockSchema.class);

    /** Creates, changes or only checks the tables. */
    @FunctionalInterface
    interface Preparation {
        /** @throws SQLException if the server cannot be asked */
        void prepare(DataSource schema, LockTables tables) throws SQLException;
    }

    @Override
    public void afterPropertiesSet() {
        if (!isCurrent()) {
            prepare();
        }
    }

    /** Asks on a connection that locks need anyway. The first one may take longer than the pool waits for one. */
    private boolean isCurrent() {
        LockTables tables = new LockTables(dataSource.connections(), prefix);
        long end = System.nanoTime() + timeout.toNanos();
        while (true) {
            try {
                return tables.areCurrent();
            } catch (SQLException ex) {
                log.debug("The history of the lock tables cannot be read", ex);
                boolean stillConnecting = ex instanceof SQLTransientConnectionException && ex.getCause() == null;
                if (!stillConnecting || System.nanoTime() - end >= 0) {
                    return false;
                }
            }
        }
    }

    private void prepare() {
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
