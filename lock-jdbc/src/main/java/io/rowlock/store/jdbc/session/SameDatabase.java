package io.rowlock.store.jdbc.session;

import io.rowlock.LockStoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells by what the servers answer whether a connection leads to the database that keeps the locks: the connection locks a
 * new row, and a session of locks finds that row locked, or does not. Thread-safe.
 */
public final class SameDatabase {
    private static final Logger log = LoggerFactory.getLogger(SameDatabase.class);

    private final LockDatabase locks;
    private final TablePrefix prefix;

    /** The places that are known to be on the database that keeps the locks. */
    private final Set<CheckedTransaction.Place> proven = ConcurrentHashMap.newKeySet();

    /** The possible answers. */
    public enum Answer {
        /** The database that keeps the locks. */
        SAME,
        /** Another server or schema. */
        OTHER,
        /** The connection could not be asked. */
        UNPROVEN
    }

    /**
     * @param locks where the locks are
     * @param prefix what the names of the tables begin with
     */
    public SameDatabase(LockDatabase locks, TablePrefix prefix) {
        this.locks = locks;
        this.prefix = prefix;
    }

    /**
     * Returns true if a transaction is on the database that keeps the locks. A place is asked until it has proven that once.
     *
     * @throws LockStoreException if one of the two connections could not be asked
     */
    public boolean covers(CheckedTransaction transaction) {
        CheckedTransaction.Place place = transaction.place();
        return place != null && place.isMysql() && (proven.contains(place) || isSame(transaction, place));
    }

    /** Leaves the row that the transaction keeps locked to the clean-up. */
    private boolean isSame(CheckedTransaction transaction, CheckedTransaction.Place place) {
        ProofRow row = ProofRow.in(prefix);
        boolean same = isSame(transaction, place, row);
        if (!same) {
            int unused = locks.callInTime(session -> session.update(row.delete()));
        }
        return same;
    }

    /** Locks the row in the transaction. If that met a lock instead, a server might roll it back (innodb_rollback_on_timeout). */
    private boolean isSame(CheckedTransaction transaction, CheckedTransaction.Place place, ProofRow row) {
        int unused = locks.callInTime(session -> session.update(row.insert()));
        boolean same = finds(transaction, row) && isLocked(row);
        if (same) {
            proven.add(place);
        }
        return same;
    }

    private static boolean finds(CheckedTransaction transaction, ProofRow row) {
        try {
            return !transaction
                    .call(reads -> reads.query(row.select("FOR UPDATE"), found -> found.getLong(1)))
                    .isEmpty();
        } catch (LockStoreException e) {
            if (SqlFailure.NO_TABLE.caused(e)) {
                return false;
            }
            throw e;
        }
    }

    /** A replica may find the row, but locks its own. */
    private boolean isLocked(ProofRow row) {
        try {
            List<Long> unused = locks.callInTime(
                    session -> session.query(row.select("FOR UPDATE NOWAIT"), found -> found.getLong(1)));
            return false;
        } catch (RowLockedException e) {
            return true;
        }
    }

    /**
     * Asks a question about rows of the lock tables in a transaction that may be on another database, as those of a DataSource that
     * routes. If the rows are not found, the place is asked anew, because an address may have moved since.
     *
     * @param found tells whether an answer comes from the lock tables
     * @return the answer; empty if the transaction is on another database
     * @throws LockStoreException if one of the two connections could not be asked
     */
    public <T> Optional<T> ask(CheckedTransaction transaction, Supplier<T> question, Predicate<T> found) {
        CheckedTransaction.Place place = transaction.place();
        if (place == null) {
            return Optional.of(question.get());
        }
        if (!covers(transaction)) {
            return Optional.empty();
        }
        T answer = question.get();
        return found.test(answer) || isSame(transaction, place) ? Optional.of(answer) : Optional.empty();
    }

    /** Asks a connection of its own, outside of all transactions. Throws nothing: {@code dataSource} may have good reasons to refuse. */
    public Answer of(DataSource dataSource) {
        try (Connection connection = dataSource.getConnection()) {
            CheckedTransaction.Place place = CheckedTransaction.Place.of(connection);
            return place.isMysql() && isSame(dataSource, connection, place) ? Answer.SAME : Answer.OTHER;
        } catch (SQLException | RuntimeException e) {
            log.debug("A DataSource could not be asked where it leads", e);
            return Answer.UNPROVEN;
        }
    }

    private boolean isSame(DataSource dataSource, Connection connection, CheckedTransaction.Place place)
            throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(false);
        ProofRow row = ProofRow.in(prefix);
        try {
            return isSame(new TransactionConnection(dataSource, locks.queryTimeout()).on(connection), place, row);
        } finally {
            connection.rollback();
            connection.setAutoCommit(autoCommit);
            int unused = locks.callInTime(session -> session.update(row.delete()));
        }
    }
}
