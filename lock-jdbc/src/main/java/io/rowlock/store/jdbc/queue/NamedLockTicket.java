package io.rowlock.store.jdbc.queue;

import io.rowlock.Printable;
import io.rowlock.store.jdbc.Connections;
import io.rowlock.store.jdbc.Session;
import io.rowlock.store.jdbc.SqlFailure;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One place in a line: a connection that waits for a named lock, gets it, and gives it back. The connection belongs to a
 * thread of the {@link NamedLocks}, because a statement cannot be interrupted; whoever has the place tells that thread what
 * to do. Thread-safe.
 */
final class NamedLockTicket {
    private static final Logger log = LoggerFactory.getLogger(NamedLockTicket.class);
    private static final Duration LONGEST = Duration.ofHours(1);
    private static final Duration SLACK = Duration.ofSeconds(5);

    /** A wait that is over by itself in that time need not be broken off. */
    private static final Duration SOON = Duration.ofSeconds(2);

    private final NamedLocks turnstile;
    private final LineName name;
    private final Duration patience;
    private final TicketState state = new TicketState();

    NamedLockTicket(NamedLocks turnstile, LineName name, Duration patience) {
        this.turnstile = turnstile;
        this.name = name;
        Duration limited = patience.compareTo(LONGEST) > 0 ? LONGEST : patience;
        this.patience = Duration.ofSeconds(Math.max(1, limited.plusMillis(999).toSeconds()));
    }

    // ---- the thread that has the connection

    /** Waits for the line to come to this place, and then until the place is left. */
    void line() {
        try (Connection mine = turnstile.connections().getConnection()) {
            if (state.began(mine)) {
                state.came(getLock(mine));
                if (state.awaitEnd()) {
                    releaseLock(mine);
                }
                if (state.isBrokenOff()) {
                    Connections.discard(mine); // else it might be closed under whoever the pool gives it to next
                }
            }
        } catch (SQLException e) {
            failed(e);
        } catch (RuntimeException | Error e) {
            state.over();
            throw e;
        } finally {
            turnstile.left(state.isKept());
        }
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
        mine.setNetworkTimeout(Runnable::run, turnstile.queryTimeoutSeconds() * 1_000);
    }

    private void failed(SQLException error) {
        state.over();
        log.debug("A place in the line for \"{}\" was lost", Printable.of(name.key()), error);
        if (SqlFailure.isRefusal(error)) {
            turnstile.outOfOrder(error);
        }
    }

    // ---- whoever has the place

    /** @return whether this place is the first of the line by now */
    boolean await(Duration atMost) throws InterruptedException {
        return state.await(atMost);
    }

    boolean isOver() {
        return state.isOver();
    }

    /** Though it is the first, what it is for is taken. */
    void hasToWait() {
        state.hasToWait();
    }

    /** Whether others were before it, or had what it is for. */
    boolean hasWaited() {
        return state.hasWaited();
    }

    /** Keeps the place while what it was for is held, so that those behind need not ask. @return false if it must be left */
    boolean keep() {
        return state.keep(turnstile::tryKeep);
    }

    /**
     * Leaves the line with a statement that releases the named lock itself, if it matches a row: whoever is next may ask as
     * soon as it runs, and waits for its row lock.
     *
     * @return what the statement came to; empty if the place was of no use any more, so that nothing was sent
     * @throws SQLException if it is not known what the statement came to
     */
    Optional<Integer> leaveWith(ReleaseInLine release) throws SQLException {
        Connection mine = state.use();
        if (mine == null) {
            return Optional.empty();
        }
        boolean released = false;
        try {
            if (!isUsable(mine)) {
                return Optional.empty();
            }
            int rows = release.run(new Session(mine, 0), name.in(mine.getCatalog()));
            released = rows > 0;
            return Optional.of(rows);
        } finally {
            state.used(released);
        }
    }

    private boolean isUsable(Connection mine) {
        try {
            limitNetwork(mine);
            return true;
        } catch (SQLException e) {
            log.debug("The place in the line for \"{}\" was lost before it was left", Printable.of(name.key()), e);
            return false;
        }
    }

    /** A statement on the connection of a place. */
    @FunctionalInterface
    interface ReleaseInLine {
        int run(Session session, String lineName) throws SQLException;
    }

    /** Leaves the line, without waiting for it. Doing so twice is harmless. */
    void leave() {
        boolean lastsLong = patience.minus(state.age()).compareTo(SOON) > 0;
        Connection waiting = state.leave(lastsLong);
        if (waiting != null) {
            turnstile.breakOff(waiting);
        }
    }
}
