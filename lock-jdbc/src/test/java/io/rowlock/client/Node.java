package io.rowlock.client;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.LockListener;
import io.rowlock.client.request.Handoff;
import io.rowlock.store.LockLog;
import io.rowlock.store.jdbc.lease.FreePositions;
import io.rowlock.store.jdbc.lease.LeaseStore;
import io.rowlock.store.jdbc.lease.NamedLocks;
import io.rowlock.store.jdbc.log.AsyncLockLog;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.test.database.TestSchema;
import java.time.Duration;
import javax.sql.DataSource;

/** A node whose locks are leases in a table, with a pool of its own. */
public final class Node extends LockNode {
    public static final TablePrefix PREFIX = new TablePrefix("rowlock_");
    static final int TICKETS = 4;
    /** Half of it is how long a try without patience waits for its answer; the row may be locked for the first second. */
    static final Duration QUERY_TIMEOUT = Duration.ofSeconds(6);

    final HikariDataSource pool;
    public final LockDatabase database;
    final LockLog log;
    private final NamedLocks namedLocks;

    public Node(TestSchema schema, String owner, LockListener... listeners) {
        this(Pools.locks(schema), owner, Logging.OFF, listeners);
    }

    public Node(HikariDataSource pool, String owner, Logging logging, LockListener... listeners) {
        this(pool, pool, owner, logging, listeners);
    }

    public Node(HikariDataSource pool, String owner, Logging logging, Handoff handoff, LockListener... listeners) {
        this(Parts.of(pool, pool, logging), owner, handoff, listeners);
    }

    /** @param queryTimeout for servers that are busy with something else */
    Node(HikariDataSource pool, String owner, Duration queryTimeout) {
        this(Parts.of(pool, pool, Logging.OFF, queryTimeout), owner, Handoff.DEFAULT);
    }

    /** @param connections the pool, as the node sees it */
    public Node(
            HikariDataSource pool, DataSource connections, String owner, Logging logging, LockListener... listeners) {
        this(Parts.of(pool, connections, logging), owner, Handoff.DEFAULT, listeners);
    }

    private Node(Parts parts, String owner, Handoff handoff, LockListener... listeners) {
        super(parts.store(), owner, parts.log(), handoff, listeners);
        pool = parts.pool();
        database = parts.database();
        log = parts.log();
        namedLocks = parts.namedLocks();
    }

    /** What a node consists of. */
    private record Parts(
            HikariDataSource pool, LockDatabase database, LockLog log, NamedLocks namedLocks, LeaseStore store) {
        static Parts of(HikariDataSource pool, DataSource connections, Logging logging) {
            return of(pool, connections, logging, QUERY_TIMEOUT);
        }

        static Parts of(HikariDataSource pool, DataSource connections, Logging logging, Duration queryTimeout) {
            LockDatabase database = new LockDatabase(connections, pool.getMaximumPoolSize() - TICKETS, queryTimeout);
            LockLog log = logging.open(database);
            NamedLocks namedLocks = new NamedLocks(connections, TICKETS, queryTimeout);
            return new Parts(pool, database, log, namedLocks, new LeaseStore(database, PREFIX, namedLocks, null));
        }
    }

    /** How grants are noted. */
    public enum Logging {
        OFF,
        ASYNC;

        private LockLog open(LockDatabase database) {
            return this == OFF ? LockLog.NONE : new AsyncLockLog(database, PREFIX);
        }
    }

    /** Returns how many positions the node has in queues at the moment, each with a connection. */
    int positionsInUse() {
        return TICKETS - FreePositions.of(namedLocks);
    }

    @Override
    public void close() {
        super.close();
        namedLocks.close();
        pool.close();
    }
}
