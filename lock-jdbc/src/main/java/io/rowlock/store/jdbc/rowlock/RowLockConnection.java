package io.rowlock.store.jdbc.rowlock;

import io.rowlock.LockMode;
import io.rowlock.store.jdbc.session.Connections;
import io.rowlock.store.jdbc.session.Session;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A connection for as long as it belongs to one lease, or to a position for one: its open transaction is the lock.
 * Statements are bounded by the network time-out, not by a query time-out: what was not answered has an unknown outcome, and
 * then only the end of the session is certain to end the lock. Not thread-safe, but {@link #discard} may be called
 * while a statement runs.
 */
final class RowLockConnection {
    /** The longest wait for the gate in one statement, in seconds. A session whose process is gone waits no longer. */
    static final int LONGEST_WAIT = 60;

    private final Connection connection;
    private final Connection physical;
    private final ServerSession server;
    private final Session session;
    private final RowLockConnections pool;

    /**
     * @param connection the pool's, to be closed
     * @param physical what is behind it, also when the pool has let go of it because of an error
     * @param server what is known of the server's side
     * @param pool knows whether it is open
     */
    RowLockConnection(Connection connection, Connection physical, ServerSession server, RowLockConnections pool) {
        this.connection = connection;
        this.physical = physical;
        this.server = server;
        this.session = new Session(connection, 0);
        this.pool = pool;
    }

    /** The server's number of this session. */
    long id() {
        return server.id();
    }

    /** Returns the statement by which another session ends this one. */
    String kill() {
        return RowLockSql.end(server.id(), server.start());
    }

    /**
     * Limits how long each of the next statements may take.
     *
     * @throws SQLException also if there can be none: it has ended, or an answer is still on its way
     */
    void within(Duration limit) throws SQLException {
        if (!pool.open.contains(this) || !session.isAnswered()) {
            throw new SQLException("The session of a row lock has ended");
        }
        connection.setNetworkTimeout(Runnable::run, (int) Math.max(1, limit.toMillis()));
    }

    /** Lets the server end the session after so many seconds of silence. Costs nothing if it does already. */
    void endAfterSilenceOf(int seconds) throws SQLException {
        int before = server.idleLimit().get();
        if (before != seconds) {
            boolean answered = false;
            server.idleLimit().set(Math.max(before, seconds)); // until there is an answer, the server may have either
            try {
                session.update(server.sql().setIdleLimit, seconds);
                answered = true;
            } finally {
                server.idleLimit().set(answered ? seconds : 0);
            }
        }
    }

    /** @return after how many seconds of silence the server ends the session */
    int idleLimit() {
        return server.idleLimit().get();
    }

    /**
     * Acquires the key, or once more what the session has already.
     *
     * @return the token; empty if the key has no rows yet
     * @throws SQLException if another session has it; then the gate may be locked nevertheless
     */
    OptionalLong acquire(LockMode mode, byte[] key) throws SQLException {
        return session.number(server.sql().of(mode).acquire(), (Object) key);
    }

    /** Returns what another session has to send before the key is acquired, if this one cannot do it itself. */
    Optional<String> pass(LockMode mode) {
        return server.sql().passesApart ? Optional.of(server.sql().of(mode).pass()) : Optional.empty();
    }

    /**
     * Waits in the server's queue for the gate.
     *
     * @return false if the key has no rows
     * @throws SQLException also if the wait took too long
     */
    boolean queue(LockMode mode, byte[] key) throws SQLException {
        return session.number(server.sql().of(mode).queue(), (Object) key).isPresent();
    }

    /** Asks the server for a sign of life, which also begins its time of silence anew. */
    boolean answers() throws SQLException {
        return session.number(server.sql().identity).equals(OptionalLong.of(server.id()));
    }

    /** Ends the lock. The connection is not to be used any more, whatever the outcome. */
    void commit(Duration limit) throws SQLException {
        end(limit, connection::commit);
    }

    /**
     * Ends the transaction and returns the connection, or closes it if that does not work.
     *
     * @param limit how long the server may take to answer; a wait in its queue has set a much longer one
     */
    void giveUp(Duration limit) {
        try {
            end(limit, connection::rollback);
        } catch (SQLException e) {
            // it is closed
        }
    }

    private void end(Duration limit, Session.Command last) throws SQLException {
        try {
            Connections.requireStack();
            within(limit);
            session.tell(last);
        } catch (SQLException | RuntimeException | Error e) {
            discard();
            throw e;
        }
        leave(() -> Connections.close(connection));
    }

    /**
     * Closes the connection without a statement. The server ends the session when it notices, after its silence at the latest. Nothing
     * happens to one that was returned: others may have it by now.
     */
    void discard() {
        leave(this::drop);
    }

    /** A statement may still wait for its answer, though the pool regards its connection as closed. */
    private void drop() {
        Connections.requireStack();
        Connections.abort(physical);
        Connections.discard(connection);
    }

    private void leave(Runnable closing) {
        if (!pool.open.remove(this)) {
            return;
        }
        try {
            closing.run();
        } catch (RuntimeException | Error e) {
            Connections.endElsewhere(this::drop);
            throw e;
        }
    }

    /**
     * The server's side of a connection, as far as it is known while a pool keeps it open.
     *
     * @param start what the server drew when it started
     * @param sql the statements that it understands
     * @param idleLimit in seconds; 0 if it is not known
     */
    record ServerSession(long id, long start, RowLockSql sql, AtomicInteger idleLimit) {}
}
