package io.rowlock.autoconfigure.database;

import io.rowlock.LockStoreException;
import io.rowlock.autoconfigure.RowlockProperties.Schema.Initialize;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.util.ClassUtils;

/**
 * Proves that the server is fit for locks, and sees to their tables when the application starts, after its own migrations, unless they are
 * as this release made them.
 *
 * @param timeout how long opening the first connection may take
 * @param initialize what happens to the tables
 */
record LockSchema(LockPools pools, TablePrefix prefix, Duration timeout, Initialize initialize)
        implements InitializingBean {
    private static final Logger log = LoggerFactory.getLogger(LockSchema.class);

    @Override
    public void afterPropertiesSet() {
        if (initialize == Initialize.NEVER) {
            return;
        }
        if (!isCurrent()) {
            pools.forSchema(timeout, schema -> prepare(new LockTables(schema, prefix)));
        }
    }

    /** Asks on a connection that locks need anyway. The first one may take longer than the pool waits for one. */
    private boolean isCurrent() {
        LockTables tables = new LockTables(pools.locks(), prefix);
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

    private void prepare(LockTables tables) {
        boolean flyway = Stream.of("org.flywaydb.core.Flyway", "org.flywaydb.database.mysql.MySQLDatabaseType")
                .allMatch(type -> ClassUtils.isPresent(type, null));
        if (!flyway) {
            log.info(
                    "Rowlock's tables are only looked for, not migrated: flyway-core and flyway-mysql are not on the class path");
        }
        try {
            tables.requireSupportedVersion();
            tables.requireNoneOfASnapshot();
            boolean migrates = flyway && initialize == Initialize.ALWAYS;
            if (migrates || (flyway && tables.haveHistory())) {
                new FlywayLockSchema(tables, timeout).prepare(migrates);
            } else if (!tables.exist()) {
                throw SchemaFailure.missing(
                        prefix,
                        flyway
                                ? ""
                                : "Add org.flywaydb:flyway-core and org.flywaydb:flyway-mysql, then Rowlock creates its tables, or ");
            }
        } catch (SQLException | LockStoreException ex) {
            throw SchemaFailure.of(ex, prefix, timeout);
        }
    }
}
