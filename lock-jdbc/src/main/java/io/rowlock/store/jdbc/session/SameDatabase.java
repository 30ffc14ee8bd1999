package io.rowlock.store.jdbc.session;

import io.rowlock.LockStoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells by what the servers answer whether a connection leads to the database that keeps the locks: a session of locks keeps a new row
 * locked, and the connection finds that row locked, or does not. The row is never committed. Thread-safe.
 */
public final class SameDatabase {
    private static final Logger log = LoggerFactory.getLogger(SameDatabase.class);

    private final LockDatabase locks;
    private final TablePrefix prefix;

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
     * Asks a transaction, which keeps no row lock from that.
     *
     * @return never {@link Answer#UNPROVEN}
     * @throws LockStoreException if one of the two connections could not be asked
     */
    public Answer of(CheckedTransaction transaction) {
        return whileLocked(question -> {
            try {
                return transaction.call(reads ->
                                reads.query(question, row -> row.getLong(1)).isEmpty())
                        ? Answer.OTHER
                        : Answer.SAME;
            } catch (RowLockedException e) {
                return Answer.SAME;
            } catch (LockStoreException e) {
                if (SqlFailure.NO_TABLE.caused(e)) {
                    return Answer.OTHER;
                }
                throw e;
            }
        });
    }

    /**
     * Asks a question about rows of the lock tables in a transaction that may be on another database, as those of a DataSource that
     * routes. The row decides: only if it is not found is the transaction asked, each time anew, where it is.
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
        if (!place.isMysql()) {
            return Optional.empty();
        }
        T answer;
        try {
            answer = question.get();
        } catch (LockStoreException e) {
            if (SqlFailure.NO_TABLE.caused(e) && of(transaction) == Answer.OTHER) {
                return Optional.empty();
            }
            throw e;
        }
        return found.test(answer) || of(transaction) == Answer.SAME ? Optional.of(answer) : Optional.empty();
    }

    /** Asks a connection of its own, outside of all transactions. Throws nothing: {@code dataSource} may have good reasons to refuse. */
    public Answer of(DataSource dataSource) {
        try (Connection connection = dataSource.getConnection()) {
            return CheckedTransaction.Place.of(connection).isMysql()
                    ? whileLocked(question -> ask(connection, question))
                    : Answer.OTHER;
        } catch (SQLException | RuntimeException e) {
            log.debug("A DataSource could not be asked where it leads", e);
            return Answer.UNPROVEN;
        }
    }

    private static Answer ask(Connection connection, String question) {
        try {
            try {
                return new Session(connection, 1)
                                .query(question, row -> row.getLong(1))
                                .isEmpty()
                        ? Answer.OTHER
                        : Answer.SAME;
            } finally {
                if (!connection.getAutoCommit()) {
                    connection.rollback();
                }
            }
        } catch (SQLException e) {
            log.debug("A DataSource answers", e);
            return switch (SqlFailure.of(e)) {
                case ROW_LOCKED -> Answer.SAME;
                case NO_TABLE -> Answer.OTHER;
                default -> Answer.UNPROVEN;
            };
        }
    }

    private Answer whileLocked(Function<String, Answer> ask) {
        ProofRow row = ProofRow.in(prefix);
        return locks.callInTime(session -> session.inTransaction(own -> {
            own.update(row.insert());
            Answer answer = ask.apply(row.select("FOR UPDATE NOWAIT"));
            own.update(row.delete());
            return answer;
        }));
    }
}
