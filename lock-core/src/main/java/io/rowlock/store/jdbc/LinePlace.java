package io.rowlock.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One place in a line: a connection that waits for a named lock, gets it, and gives it back. The connection belongs to a
 * thread of the {@link Turnstile}, because a statement cannot be interrupted; whoever has the place tells that thread what
 * to do. Thread-safe: {@code guard} guards the fields.
 */
final class LinePlace {
    private static final Logger log = LoggerFactory.getLogger(LinePlace.class);
    private static final Duration LONGEST = Duration.ofHours(1);
    private static final Duration SLACK = Duration.ofSeconds(5);

    /** A wait that is over by itself in that time need not be broken off. */
    private static final Duration SOON = Duration.ofSeconds(2);

    /** To have waited for less is not to have waited for somebody. */
    private static final Duration AT_ONCE = Duration.ofMillis(1);

    private enum State {
        /** Others are before it. */
        WAITING,
        /** It is the first. */
        FIRST,
        /** It is over, or of no use. */
        OVER
    }

    private final Turnstile turnstile;
    private final LineName name;
    private final long entered = System.nanoTime();
    private final long seconds;
    private final ReentrantLock guard = new ReentrantLock();
    private final Condition changed = guard.newCondition();

    private State state = State.WAITING;
    private @Nullable Connection connection;
    private boolean inUse;
    private boolean hasNamedLock;
    private boolean waited;
    private boolean kept;

    LinePlace(Turnstile turnstile, LineName name, Duration patience) {
        this.turnstile = turnstile;
        this.name = name;
        Duration limited = patience.compareTo(LONGEST) > 0 ? LONGEST : patience;
        this.seconds = Math.max(1, limited.plusMillis(999).toSeconds());
    }

    // ---- the thread that has the connection

    /** Waits for the line to come to this place, and then until the place is left. */
    void line() {
        try (Connection mine = turnstile.connections().getConnection()) {
            if (began(mine)) {
                came(getLock(mine));
                awaitEnd();
                if (hasNamedLock()) {
                    releaseLock(mine);
                }
            }
        } catch (SQLException e) {
            failed(e);
        } catch (RuntimeException | Error e) {
            over();
            throw e;
        } finally {
            turnstile.left(isKept());
        }
    }

    private boolean began(Connection mine) {
        guard.lock();
        try {
            connection = mine;
            return state == State.WAITING;
        } finally {
            guard.unlock();
        }
    }

    private boolean getLock(Connection mine) throws SQLException {
        long patience = Duration.ofSeconds(seconds).plus(SLACK).toMillis();
        mine.setNetworkTimeout(Runnable::run, Math.toIntExact(patience));
        try (PreparedStatement statement = mine.prepareStatement("SELECT GET_LOCK(?, ?)")) {
            statement.setString(1, name.in(mine.getCatalog()));
            statement.setLong(2, seconds);
            try (ResultSet answer = statement.executeQuery()) {
                return answer.next() && answer.getInt(1) == 1;
            }
        }
    }

    private void came(boolean first) {
        guard.lock();
        try {
            hasNamedLock = first;
            waited = System.nanoTime() - entered > AT_ONCE.toNanos();
            if (state == State.WAITING) {
                state = first ? State.FIRST : State.OVER;
                changed.signalAll();
            }
        } finally {
            guard.unlock();
        }
    }

    private void awaitEnd() {
        guard.lock();
        try {
            while (state == State.FIRST || inUse) {
                changed.awaitUninterruptibly();
            }
        } finally {
            guard.unlock();
        }
    }

    private void releaseLock(Connection mine) throws SQLException {
        mine.setNetworkTimeout(Runnable::run, turnstile.queryTimeoutSeconds() * 1_000);
        try (PreparedStatement statement = mine.prepareStatement("DO RELEASE_LOCK(?)")) {
            statement.setString(1, name.in(mine.getCatalog()));
            statement.executeUpdate();
        }
    }

    private void failed(SQLException error) {
        over();
        log.debug("A place in the line for \"{}\" was lost", name.key(), error);
        if (SqlFailure.isRefusal(error)) {
            turnstile.outOfOrder(error);
        }
    }

    // ---- whoever has the place

    /** @return whether this place is the first of the line by now */
    boolean await(Duration atMost) throws InterruptedException {
        guard.lock();
        try {
            long left = atMost.toNanos();
            while (state == State.WAITING && left > 0) {
                left = changed.awaitNanos(left);
            }
            return state == State.FIRST;
        } finally {
            guard.unlock();
        }
    }

    boolean isOver() {
        guard.lock();
        try {
            return state == State.OVER;
        } finally {
            guard.unlock();
        }
    }

    /** Though it is the first, what it is for is taken. */
    void hasToWait() {
        guard.lock();
        try {
            waited = true;
        } finally {
            guard.unlock();
        }
    }

    /** Whether others were before it, or had what it is for. */
    boolean hasWaited() {
        guard.lock();
        try {
            return waited;
        } finally {
            guard.unlock();
        }
    }

    private boolean hasNamedLock() {
        guard.lock();
        try {
            return hasNamedLock;
        } finally {
            guard.unlock();
        }
    }

    private boolean isKept() {
        guard.lock();
        try {
            return kept;
        } finally {
            guard.unlock();
        }
    }

    /** Keeps the place while what it was for is held, so that those behind need not ask. @return false if it must be left */
    boolean keep() {
        guard.lock();
        try {
            kept = kept || (state == State.FIRST && turnstile.tryKeep());
            return kept;
        } finally {
            guard.unlock();
        }
    }

    /**
     * Leaves the line with a statement that releases the named lock itself, if it matches a row: whoever is next may ask as
     * soon as it runs, and waits for its row lock.
     *
     * @return what the statement came to; empty if the place is of no use any more
     */
    Optional<Integer> leaveWith(ReleaseInLine release) {
        Connection mine = use();
        if (mine == null) {
            return Optional.empty();
        }
        boolean released = false;
        try {
            mine.setNetworkTimeout(Runnable::run, turnstile.queryTimeoutSeconds() * 1_000);
            int rows = release.run(new Session(mine, 0), name.in(mine.getCatalog()));
            released = rows > 0;
            return Optional.of(rows);
        } catch (SQLException e) {
            log.debug("The place in the line for \"{}\" was lost while it was left", name.key(), e);
            return Optional.empty();
        } finally {
            used(released);
        }
    }

    /** A statement on the connection of a place. */
    @FunctionalInterface
    interface ReleaseInLine {
        int run(Session session, String lineName) throws SQLException;
    }

    private @Nullable Connection use() {
        guard.lock();
        try {
            if (state != State.FIRST || inUse) {
                return null;
            }
            inUse = true;
            return connection;
        } finally {
            guard.unlock();
        }
    }

    private void used(boolean released) {
        guard.lock();
        try {
            inUse = false;
            hasNamedLock = hasNamedLock && !released;
            state = State.OVER;
            changed.signalAll();
        } finally {
            guard.unlock();
        }
    }

    /** Leaves the line, without waiting for it. Doing so twice is harmless. */
    void leave() {
        Connection abandoned = null;
        guard.lock();
        try {
            long left = Duration.ofSeconds(seconds).toNanos() - (System.nanoTime() - entered);
            if (state == State.WAITING && left > SOON.toNanos()) {
                abandoned = connection;
            }
            over();
        } finally {
            guard.unlock();
        }
        if (abandoned != null) {
            turnstile.breakOff(abandoned);
        }
    }

    private void over() {
        guard.lock();
        try {
            state = State.OVER;
            changed.signalAll();
        } finally {
            guard.unlock();
        }
    }
}
