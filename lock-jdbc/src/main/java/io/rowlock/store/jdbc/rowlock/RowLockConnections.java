package io.rowlock.store.jdbc.rowlock;

import io.rowlock.LockStoreException;
import io.rowlock.store.jdbc.rowlock.RowLockConnection.ServerSession;
import io.rowlock.store.jdbc.session.Connections;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.SqlFailure;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** Where the connections of row locks come from. Each is set up when it is used for the first time. Thread-safe. */
final class RowLockConnections {
    private final DataSource dataSource;
    private final TablePrefix prefix;
    private final int connections;
    private final boolean fenced;
    private final Map<Connection, ServerSession> known = Collections.synchronizedMap(new WeakHashMap<>());

    /** Without those that are on their way back to the pool, or dropped. */
    final Set<RowLockConnection> open = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;

    /** @param connections how many the pool has, for messages */
    RowLockConnections(DataSource dataSource, TablePrefix prefix, int connections, boolean fenced) {
        this.dataSource = dataSource;
        this.prefix = prefix;
        this.connections = connections;
        this.fenced = fenced;
    }

    /**
     * A connection without a transaction.
     *
     * @param limit how long each of its statements may take
     * @throws LockStoreException if there is none to be had
     */
    RowLockConnection open(Duration limit) {
        Connections.requireStack();
        Connection connection = connection();
        boolean useful = false;
        try {
            connection.setNetworkTimeout(Runnable::run, (int) Math.max(1, limit.toMillis()));
            if (connection.getAutoCommit()) {
                connection.setAutoCommit(false);
            }
            Connection physical = connection.unwrap(Connection.class);
            RowLockConnection opened = new RowLockConnection(connection, physical, serverSession(physical), this);
            open.add(opened);
            if (closed) {
                opened.discard();
                throw new LockStoreException("The lock store is closed", null);
            }
            useful = true;
            return opened;
        } catch (SQLException e) {
            throw SqlFailure.of(e).exception(e);
        } finally {
            if (!useful) {
                Connections.giveBack(connection, false);
            }
        }
    }

    /** A pool that opens connections on demand can miss, now and then, that a thread still waits for one. */
    private Connection connection() {
        try {
            return connectionOrSecondTry();
        } catch (SQLException e) {
            throw SqlFailure.connecting(
                    e, "all %d connections for row locks are in use; raise rowlock.pool.size".formatted(connections));
        }
    }

    private Connection connectionOrSecondTry() throws SQLException {
        try {
            return dataSource.getConnection();
        } catch (SQLTransientConnectionException e) {
            if (e.getCause() != null || open.size() >= connections) {
                throw e;
            }
            return dataSource.getConnection();
        }
    }

    private ServerSession serverSession(Connection physical) throws SQLException {
        ServerSession session = known.get(physical);
        if (session == null) {
            session = prepare(physical);
            known.put(physical, session);
        }
        return session;
    }

    /** On the connection behind the pool's, which would put it back to what it was. */
    private ServerSession prepare(Connection physical) throws SQLException {
        physical.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        Session session = new Session(physical, 0);
        boolean mariaDb = physical.getMetaData().getDatabaseProductVersion().contains("MariaDB");
        RowLockSql sql = new RowLockSql(prefix, fenced, mariaDb);
        session.update(sql.prepare);
        return session.query(sql.session, row -> begun(row, sql)).get(0);
    }

    private static ServerSession begun(ResultSet row, RowLockSql sql) throws SQLException {
        if (row.getInt(3) == 0) {
            throw new LockStoreException(
                    "Row locks need a server whose SYSDATE() goes on while a statement runs, or their tokens could go back;"
                            + " start it without sysdate-is-now, or use another strategy",
                    null);
        }
        return new ServerSession(row.getLong(1), row.getLong(2), sql, new AtomicInteger());
    }

    /** Closes what is open, also what is in use. */
    void close() {
        closed = true;
        List.copyOf(open).forEach(RowLockConnection::discard);
    }
}
