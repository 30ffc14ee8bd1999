package io.rowlock.store.jdbc.session;

import io.rowlock.LockStoreException;
import io.rowlock.store.jdbc.session.TablePrefix.Table;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Proves between two sessions that the server keeps the promises on which locks depend, whatever its name and version. A server, or
 * what is in front of it, may carry out a locking clause without locking anything.
 *
 * @param failures what does not hold, one sentence each without a full stop; with any of them two owners could hold one lock
 * @param namedLocks whether named locks exclude, on which only the order of waiters depends
 */
public record ServerProof(List<String> failures, boolean namedLocks) {
    /** The engine that locks rows. MyISAM and Aria carry out every statement as if it were alone. */
    private static final String ENGINE = "InnoDB";

    /**
     * Names the lock tables that have another engine than InnoDB.
     *
     * @param database the server
     * @param prefix what the names of the tables begin with
     * @return the statements that repair them; empty if none is needed
     * @throws LockStoreException if the server cannot be asked
     */
    public static List<String> repairs(LockDatabase database, TablePrefix prefix) {
        String tables = Stream.of(Table.values()).map(prefix::of).collect(Collectors.joining("', '", "'", "'"));
        List<String> names = database.callInTime(session -> session.query(
                "SHOW TABLE STATUS WHERE Name IN (%s) AND Engine <> '%s'".formatted(tables, ENGINE),
                row -> row.getString(1)));
        return names.stream()
                .map(table -> "ALTER TABLE %s ENGINE = %s".formatted(table, ENGINE))
                .toList();
    }

    /**
     * Locks a row of its own, which is gone afterwards.
     *
     * @param database the sessions of locks
     * @param beside opens the second session, on the same server; not of the same pool, which may have one connection only
     * @param prefix what the names of the tables begin with
     * @return what came of it
     * @throws LockStoreException if a session failed otherwise, so that nothing is proven
     */
    public static ServerProof of(LockDatabase database, DataSource beside, TablePrefix prefix) {
        ProofRow row = ProofRow.in(prefix);
        try (Connection second = beside.getConnection()) {
            database.callInTime(session -> session.update(row.insert()));
            try {
                second.setAutoCommit(false);
                return database.callInTime(
                        session -> session.inTransaction(first -> between(first, new Session(second, 0), second, row)));
            } finally {
                second.rollback();
                second.setAutoCommit(true);
                database.callInTime(session -> session.update(row.delete()));
            }
        } catch (SQLException e) {
            throw SqlFailure.of(e).exception(e);
        }
    }

    private static ServerProof between(Session first, Session second, Connection secondConnection, ProofRow row)
            throws SQLException {
        List<String> failures = new ArrayList<>();
        require(
                found(second, row, "LOCK IN SHARE MODE"),
                "a row that was written is not found by another session",
                failures);
        require(
                isRefused(first, row, "FOR UPDATE NOWAIT"),
                "a row that one session has locked by LOCK IN SHARE MODE is locked by another one by FOR UPDATE NOWAIT",
                failures);
        require(
                !found(first, row, "FOR UPDATE SKIP LOCKED"),
                "a row that another session has locked is not skipped by FOR UPDATE SKIP LOCKED",
                failures);
        secondConnection.rollback();
        require(found(first, row, "FOR UPDATE"), "a row that is not locked is not found by FOR UPDATE", failures);
        require(
                isRefused(second, row, "FOR UPDATE NOWAIT"),
                "a row that one session has locked by FOR UPDATE is locked by another one by FOR UPDATE NOWAIT",
                failures);
        return new ServerProof(failures, namedLocksExclude(first, second, row));
    }

    private static void require(boolean holds, String otherwise, List<String> failures) {
        if (!holds) {
            failures.add(otherwise);
        }
    }

    private static boolean isRefused(Session session, ProofRow row, String clause) throws SQLException {
        try {
            found(session, row, clause);
            return false;
        } catch (SQLException e) {
            SqlFailure.ROW_LOCKED.require(e);
            return true;
        }
    }

    private static boolean namedLocksExclude(Session first, Session second, ProofRow row) throws SQLException {
        try {
            String name = "('" + row.key() + "'";
            boolean one = named(second, "GET_LOCK" + name + ", 0)");
            boolean other = named(first, "GET_LOCK" + name + ", 0)");
            named(second, "RELEASE_LOCK" + name + ")"); // the first one has none, unless named locks are useless
            return one && !other;
        } catch (SQLException e) {
            if (SqlFailure.of(e) == SqlFailure.NO_ANSWER) {
                throw e;
            }
            return false;
        }
    }

    private static boolean found(Session session, ProofRow row, String clause) throws SQLException {
        return session.number(row.select(clause)).isPresent();
    }

    private static boolean named(Session session, String call) throws SQLException {
        return session.number("SELECT " + call).equals(OptionalLong.of(1));
    }
}
