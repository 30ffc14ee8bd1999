package io.rowlock.store.jdbc.rowlock;

import io.rowlock.store.TransactionLocks.Outcome;
import io.rowlock.store.jdbc.session.JdbcText;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.SqlFailure;
import java.sql.SQLException;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * An attempt to lock the row of a key on a transaction's connection, and the wait for it. Not thread-safe.
 *
 * @param rollsBackOnTimeout whether the server rolls a whole transaction back if one of its statements waited too long for a row
 * @param atOnce locks the row, or fails at once
 * @param waiting locks the row, and waits for it as long as the session does
 */
record RowWait(Session session, String key, boolean rollsBackOnTimeout, String atOnce, String waiting) {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private static final int LOCK_WAIT_TIMEOUT = 1205;

    /** The application's limit of a statement ended the wait: max_execution_time of MySQL, max_statement_time of MariaDB. */
    private static final Set<Integer> STATEMENT_LIMITS = Set.of(3024, 1969);

    /** Between two attempts, at most. */
    private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(20);

    /** From now on the session waits a second for a row. Drivers send a query on a read-only connection, too. What it did before stays in a variable of the session. */
    private static final String WAIT_FOR_A_SECOND =
            "SET @rowlock_lock_wait = @@SESSION.innodb_lock_wait_timeout, SESSION innodb_lock_wait_timeout = 1";

    private static final String WAIT_AS_BEFORE = "SET SESSION innodb_lock_wait_timeout = @rowlock_lock_wait";

    /**
     * Locks the row.
     *
     * @param goOn called before each wait; what it throws ends the wait, as an interrupt does
     */
    Outcome lock(Duration patience, Runnable goOn) throws SQLException {
        long end = System.nanoTime() + patience.toNanos();
        Outcome outcome = attempt(atOnce);
        return outcome == Outcome.BUSY && !patience.isZero() ? await(end, goOn) : outcome;
    }

    private Outcome await(long end, Runnable goOn) throws SQLException {
        Outcome outcome = Outcome.BUSY;
        if (end - System.nanoTime() >= SECOND && !rollsBackOnTimeout) {
            outcome = inServersQueue(end, goOn);
        }
        while (outcome == Outcome.BUSY
                && end - System.nanoTime() > 0
                && !Thread.currentThread().isInterrupted()) {
            goOn.run();
            long pause = ThreadLocalRandom.current().nextLong(LONGEST_PAUSE);
            LockSupport.parkNanos(Math.min(pause, end - System.nanoTime()));
            outcome = attempt(atOnce);
        }
        return outcome;
    }

    private Outcome inServersQueue(long end, Runnable goOn) throws SQLException {
        OptionalLong unused = session.number(WAIT_FOR_A_SECOND);
        Outcome outcome = Outcome.BUSY;
        try (Setting before = this::waitAsBefore) {
            while (outcome == Outcome.BUSY
                    && end - System.nanoTime() >= SECOND
                    && !Thread.currentThread().isInterrupted()) {
                goOn.run();
                outcome = attempt(waiting);
            }
        }
        return outcome;
    }

    private interface Setting extends AutoCloseable {
        @Override
        void close() throws SQLException;
    }

    private void waitAsBefore() throws SQLException {
        if (session.isAnswered()) {
            OptionalLong unused = session.number(WAIT_AS_BEFORE);
        }
    }

    private Outcome attempt(String statement) throws SQLException {
        try {
            return session.number(statement, (Object) JdbcText.key(key)).isPresent() ? Outcome.LOCKED : Outcome.NO_ROW;
        } catch (SQLException e) {
            if (statement.equals(waiting) && STATEMENT_LIMITS.contains(e.getErrorCode())) {
                return Outcome.BUSY;
            }
            return switch (SqlFailure.of(e)) {
                case CONFLICT -> Outcome.ROLLED_BACK;
                case ROW_LOCKED ->
                    rollsBackOnTimeout && e.getErrorCode() == LOCK_WAIT_TIMEOUT ? Outcome.ROLLED_BACK : Outcome.BUSY;
                default -> throw e;
            };
        }
    }
}
