package io.rowlock.store.jdbc.queue;

import io.rowlock.Printable;
import io.rowlock.store.jdbc.session.Connections;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.SqlFailure;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A ticket for a queue: a connection that waits for a named lock, gets it and releases it. The connection belongs to a
 * thread of the {@link NamedLocks}, because a statement cannot be interrupted; the waiter directs that thread, and borrows the
 * connection to acquire and to release. Thread-safe.
 */
final class NamedLockTicket {
    private static final Logger log = LoggerFactory.getLogger(NamedLockTicket.class);
    private static final Duration LONGEST = Duration.ofHours(1);
    private static final Duration SLACK = Duration.ofSeconds(5);

    /** A wait that is over by itself in that time need not be broken off. */
    private static final Duration SOON = Duration.ofSeconds(2);

    private final NamedLocks namedLocks;
    private final QueueName name;
    private final Duration patience;
    private final TicketState state = new TicketState();

    NamedLockTicket(NamedLocks namedLocks, QueueName name, Duration patience) {
        this.namedLocks = namedLocks;
        this.name = name;
        Duration limited = patience.compareTo(LONGEST) > 0 ? LONGEST : patience;
        this.patience = Duration.ofSeconds(Math.max(1, limited.plusMillis(999).toSeconds()));
    }

    // ---- the thread that has the connection

    /** Waits until this ticket is the first, and then until it is given up. */
    void queueUp() {
        try (Connection mine = namedLocks.connections().getConnection()) {
            boolean answered = false;
            try {
                answered = isQueuedUpAndLeft(mine);
            } finally {
                if (!answered) { // it might be closed under the next thread that gets it from the pool, as a wait that
                    // is broken off
                    Connections.discard(mine);
                }
            }
        } catch (SQLException e) {
            failed(e);
        } catch (RuntimeException | Error e) {
            state.over();
            throw e;
        } finally {
            namedLocks.left(state.isKept());
        }
    }

    /** @return whether the connection may be used again: all was answered, and nobody is about to break its wait off */
    private boolean isQueuedUpAndLeft(Connection mine) throws SQLException {
        if (state.began(mine)) {
            state.came(getLock(mine));
            if (state.awaitEnd()) {
                releaseLock(mine);
            }
        }
        return !state.isBrokenOff();
    }

    private boolean getLock(Connection mine) throws SQLException {
        mine.setNetworkTimeout(
                Runnable::run, Math.toIntExact(patience.plus(SLACK).toMillis()));
        try (PreparedStatement statement = mine.prepareStatement("SELECT GET_LOCK(?, ?)")) {
            statement.setString(1, name.in(mine.getCatalog()));
            statement.setLong(2, patience.toSeconds());
            try (ResultSet answer = statement.executeQuery()) {
                return answer.next() && answer.getInt(1) == 1;
            }
        }
    }

    private void releaseLock(Connection mine) throws SQLException {
        limitNetwork(mine);
        try (PreparedStatement statement = mine.prepareStatement("DO RELEASE_LOCK(?)")) {
            statement.setString(1, name.in(mine.getCatalog()));
            statement.executeUpdate();
        }
    }

    private void limitNetwork(Connection mine) throws SQLException {
        mine.setNetworkTimeout(Runnable::run, namedLocks.queryTimeoutSeconds() * 1_000);
    }

    private void failed(SQLException error) {
        state.over();
        log.debug("A ticket in the queue for \"{}\" was lost", Printable.of(name.key()), error);
        if (SqlFailure.isRefusal(error)) {
            namedLocks.outOfOrder(error);
        }
    }

    // ---- the waiter

    /** @return whether this ticket is the first of the queue by now */
    boolean await(Duration atMost) throws InterruptedException {
        return state.await(atMost);
    }

    boolean isOver() {
        return state.isOver();
    }

    /** It is the first, but its key is locked. */
    void hasToWait() {
        state.hasToWait();
    }

    /** Whether it waited behind others, or for its key. */
    boolean hasWaited() {
        return state.hasWaited();
    }

    /** Keeps the ticket while its key is locked, so that those behind need not poll. @return false if it must be given up */
    boolean keep() {
        return state.keep(namedLocks::tryKeep);
    }

    /**
     * Uses the connection of this ticket, if it has just become the first: the waiter needs no other, and finds it in order. A
     * connection that has been idle since might be dead.
     *
     * @return empty if it was not used
     */
    <T> Optional<T> withFreshConnection(Function<Connection, T> work) {
        Connection mine = state.borrowFresh();
        if (mine == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(work.apply(mine));
        } finally {
            state.giveBack();
        }
    }

    /**
     * Leaves the queue with a statement that releases the named lock itself, if it matches a row: the next waiter may try as
     * soon as the statement runs, and waits for its row lock.
     *
     * @return how many rows matched; empty if the ticket was of no use any more, so that nothing was sent
     * @throws SQLException if the outcome of the statement is unknown
     */
    Optional<Integer> leaveWith(ReleaseInQueue release) throws SQLException {
        Connection mine = state.borrow();
        if (mine == null) {
            return Optional.empty();
        }
        boolean released = false;
        Session session = new Session(mine, 0);
        try {
            if (!isUsable(mine)) {
                return Optional.empty();
            }
            int rows = release.run(session, name.in(mine.getCatalog()));
            released = rows > 0;
            return Optional.of(rows);
        } finally {
            if (!session.isAnswered()) {
                Connections.spoil(mine);
            }
            state.giveBackAndLeave(released);
        }
    }

    private boolean isUsable(Connection mine) {
        try {
            limitNetwork(mine);
            return true;
        } catch (SQLException e) {
            log.debug(
                    "The ticket in the queue for \"{}\" was lost before it was given up", Printable.of(name.key()), e);
            return false;
        }
    }

    /** A statement on the connection of a ticket. */
    @FunctionalInterface
    interface ReleaseInQueue {
        int run(Session session, String queueName) throws SQLException;
    }

    /** Leaves the queue, without waiting for that. Doing so twice is harmless. */
    void leave() {
        boolean lastsLong = patience.minus(state.age()).compareTo(SOON) > 0;
        Connection waiting = state.leave(lastsLong);
        if (waiting != null) {
            namedLocks.breakOff(waiting);
        }
    }
}
