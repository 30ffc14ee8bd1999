package io.rowlock.store.jdbc.rowlock;

import io.rowlock.store.jdbc.session.JdbcText;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.RowLockedException;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.jdbc.session.TablePrefix.Table;
import java.sql.SQLException;
import java.util.Collections;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Creates the rows of a key, which others lock. Late or without an answer: a duplicate, and the next attempt finds the rows.
 * Thread-safe.
 */
final class NewRows {
    /** Such names have at most 64 characters and belong to the whole server; one more user of them does no harm. */
    private static final String CREATION = "CONCAT('rowlock:', SHA2(?, 224))";

    /**
     * Keeps two sessions from inserting the same rows: the loser would lock them and be in the way of the winner. Waits for none, as a
     * session whose client is gone may keep the name for long.
     */
    private static final String BEGIN = "SELECT GET_LOCK(%s, 0)".formatted(CREATION);

    private static final String END = "SELECT RELEASE_LOCK(%s)".formatted(CREATION);

    /** So often another session is left the time to create them. */
    private static final int MAX_LOOKS = 20;

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final LockDatabase database;

    /** Locks nothing. */
    private final String exists;

    /** Locks the new rows, which are committed with it. */
    private final String insert;

    private final int count;

    private NewRows(LockDatabase database, TablePrefix prefix, int firstSlot, String... rows) {
        this.database = database;
        this.count = rows.length;
        exists = "SELECT slot FROM %s WHERE lock_key = ? AND slot = %s".formatted(prefix.of(Table.ROW), firstSlot);
        insert = "INSERT INTO %s (lock_key, slot, gate, created_on) VALUES %s"
                .formatted(prefix.of(Table.ROW), String.join(", ", rows));
    }

    /** Creates gate and barrier. */
    static NewRows ofRowLocks(LockDatabase database, TablePrefix prefix) {
        return new NewRows(database, prefix, RowLockSql.GATE, row(RowLockSql.GATE, 1), row(RowLockSql.BARRIER, 0));
    }

    /** Creates the row that a transaction locks. */
    static NewRows ofTransactions(LockDatabase database, TablePrefix prefix) {
        return new NewRows(database, prefix, TransactionRowLocks.SLOT, row(TransactionRowLocks.SLOT, 0));
    }

    private static String row(int slot, int gate) {
        return "(?, %s, %s, UTC_DATE())".formatted(slot, gate);
    }

    /** Creates the rows, unless they exist. */
    void create(String key) {
        byte[] bytes = JdbcText.key(key);
        try {
            boolean unused = database.callInTime(session -> isCreated(session, bytes));
        } catch (RowLockedException e) {
            // another session has just created and locked them
        }
    }

    private boolean isCreated(Session session, byte[] key) throws SQLException {
        boolean alone = false;
        boolean found = session.number(exists, (Object) key).isPresent();
        try {
            for (int look = 1; look <= MAX_LOOKS && !alone && !found; look++) {
                LockSupport.parkNanos(look == 1 ? 0 : PAUSE_NANOS);
                alone = session.number(BEGIN, (Object) key).equals(OptionalLong.of(1));
                found = session.number(exists, (Object) key).isPresent();
            }
            return !found
                    && session.insertIfMissing(
                            insert, Collections.nCopies(count, key).toArray());
        } finally {
            if (alone && session.isAnswered()) {
                OptionalLong unused = session.number(END, (Object) key);
            }
        }
    }
}
