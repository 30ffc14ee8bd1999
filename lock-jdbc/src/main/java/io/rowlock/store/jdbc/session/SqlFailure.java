package io.rowlock.store.jdbc.session;

import io.rowlock.LockStoreException;
import io.rowlock.store.NoConnectionException;
import io.rowlock.store.UncertainOutcomeException;
import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;

/** Tells from a failed statement what it means for a lock, by the server's error number. */
public enum SqlFailure {
    /** Rolled back by the server to resolve a conflict: every statement of ours is conditional, so it is sent again. */
    CONFLICT("the server rolled it back because of conflicts with other transactions; try it again"),

    /** Another transaction has the row locked for longer than the lock wait time-out. */
    ROW_LOCKED("another transaction keeps the row locked; look for it in performance_schema.data_locks"),

    /** The row exists already. */
    DUPLICATE("the row exists already"),

    /** The server has lost the majority of its Galera cluster and carries out nothing. */
    NOT_PRIMARY("this node is not in the primary component of its cluster; look at the other nodes and the network"),

    /** READ COMMITTED needs rows in the binary log: nothing was done. */
    BINARY_LOG(
            "the server logs statements, and so refuses changes at READ COMMITTED; set binlog_format to ROW or MIXED"),

    READ_ONLY("the server is read-only; point the DataSource, or rowlock.datasource.url, at the primary"),
    NO_TABLE(
            "the lock tables are missing or too old; let rowlock.schema.initialize=always create them, or run db/rowlock/mysql"),
    NO_RIGHTS("the database user lacks a right; it needs SELECT, INSERT, UPDATE and DELETE on the lock tables"),

    /** Longer than the server, or the driver on its behalf, lets a packet be: nothing was done. */
    TOO_LONG("a statement is longer than the server's max_allowed_packet; raise it"),

    /** The server, or what is in front of it, does not know such a statement, so nothing was done. */
    NOT_UNDERSTOOD("the server does not understand the statement; look at its version and at proxies in front of it"),

    /** Sent, but no answer came in time, or one that leaves open what a commit came to: 1180 and 1598 are errors during one. */
    NO_ANSWER(
            "no answer came in time, or one that leaves the outcome open; look at the network, the server's load and rowlock.pool.query-timeout"),

    OTHER("the statement failed");

    private final String advice;

    SqlFailure(String advice) {
        this.advice = advice;
    }

    public static SqlFailure of(SQLException error) {
        return switch (error.getErrorCode()) {
            case 1213, 1020, 3101 -> CONFLICT;
            // Galera, if a conflict is found out at the commit: error 149 of a storage engine is a deadlock
            case 1180 -> String.valueOf(error.getMessage()).contains("error 149") ? CONFLICT : NO_ANSWER;
            case 1047 -> NOT_PRIMARY;
            case 1205, 3572 -> ROW_LOCKED;
            case 1062 -> DUPLICATE;
            case 1290, 1792, 1836 -> READ_ONLY;
            case 1146, 1049, 1054 -> NO_TABLE;
            case 1044, 1045, 1095, 1142, 1143, 1227, 1356 -> NO_RIGHTS;
            case 1153 -> TOO_LONG;
            case 1665 -> BINARY_LOG;
            case 1064, 1235, 1295 -> NOT_UNDERSTOOD;
            case 1053, 1317, 1598, 1927, 1969, 3024 -> NO_ANSWER;
            default -> isOfClient(error) ? NO_ANSWER : withoutNumber(error);
        };
    }

    /** As the drivers and what stands between them and the server say it. */
    private static SqlFailure withoutNumber(SQLException error) {
        if (refusedByDriver(error)) {
            return READ_ONLY;
        }
        if (String.valueOf(error.getMessage()).contains("max_allowed_packet")) {
            return TOO_LONG;
        }
        String state = String.valueOf(error.getSQLState());
        if (state.equals("42S02")) { // no such table
            return NO_TABLE;
        }
        // 25S03: MariaDB's driver has lost the connection, and has opened another one in its place
        boolean lost = error instanceof SQLTimeoutException
                || error instanceof SQLRecoverableException
                || state.matches("08.*|25S03");
        return lost ? NO_ANSWER : OTHER;
    }

    /** MySQL's driver sends nothing on a connection that is read-only, and has no number for that. */
    private static boolean refusedByDriver(SQLException error) {
        return String.valueOf(error.getMessage()).startsWith("Connection is read-only");
    }

    /** No server gives these numbers itself. A proxy passes them on that has lost the server behind it, as 2006 and 2013. */
    private static boolean isOfClient(SQLException error) {
        return error.getErrorCode() / 1_000 == 2;
    }

    /** Returns true if the server answered so, or the driver has sent nothing: nothing else comes of what was asked. */
    public static boolean isAnswer(SQLException error) {
        // MySQL's driver has words of its own, without a number, for the error with which the server ends a statement
        // on request
        return (error.getErrorCode() > 0 && !isOfClient(error))
                || refusedByDriver(error)
                || String.valueOf(error.getMessage()).startsWith("Statement cancelled due to");
    }

    /** Returns true if the server understood the statement, and does not do such a thing. */
    public static boolean isRefusal(SQLException error) {
        SqlFailure failure = of(error);
        return error.getErrorCode() != 0 && (failure == OTHER || failure == NOT_UNDERSTOOD || failure == NO_RIGHTS);
    }

    /** Passes over an error that means this. @throws SQLException any other one */
    public void require(SQLException error) throws SQLException {
        if (of(error) != this) {
            throw error;
        }
    }

    /** Returns what a COMMIT has come to: one that failed otherwise than by being rolled back may have been carried out. */
    static SQLException ofCommit(SQLException error) {
        return of(error) == OTHER ? unknown("The commit failed: " + error.getMessage(), error) : error;
    }

    /** Makes the error with which both servers answer a write when they are read-only. */
    public static SQLException readOnly(String message) {
        return new SQLException(message, "HY000", 1290);
    }

    /** Makes an error after which the outcome is not known. */
    public static SQLException unknown(String message, @Nullable SQLException cause) {
        return new SQLRecoverableException(message, cause);
    }

    /** Returns true if a store failed because of this. */
    public boolean caused(LockStoreException failure) {
        return failure.getCause() instanceof SQLException error && of(error) == this;
    }

    public LockStoreException exception(SQLException error) {
        String message = "The lock store failed: %s (%s)".formatted(advice, error.getMessage());
        return switch (this) {
            case NO_ANSWER -> new UncertainOutcomeException(message, error);
            case ROW_LOCKED, CONFLICT -> new RowLockedException(message, error);
            default -> new LockStoreException(message, error);
        };
    }

    /**
     * The failure to get a connection at all: nothing was sent.
     *
     * @param exhausted what to say if the pool has no connection to give
     */
    public static LockStoreException connecting(SQLException error, String exhausted) {
        if (error.getCause() instanceof InterruptedException) {
            return new NoConnectionException(
                    "The lock store failed: the thread was interrupted while it waited for a connection", error, false);
        }
        if (error instanceof SQLTransientConnectionException && error.getCause() == null) {
            return new NoConnectionException(
                    "The lock store failed: %s (%s)".formatted(exhausted, rootMessage(error)), error, false);
        }
        String what = "the database cannot be reached; look at its address, the user and the network";
        return new LockStoreException("The lock store failed: %s (%s)".formatted(what, rootMessage(error)), error);
    }

    private static String rootMessage(Throwable error) {
        Throwable root = NestedExceptionUtils.getMostSpecificCause(error);
        return root == error ? String.valueOf(error.getMessage()) : error.getMessage() + ": " + root.getMessage();
    }
}
