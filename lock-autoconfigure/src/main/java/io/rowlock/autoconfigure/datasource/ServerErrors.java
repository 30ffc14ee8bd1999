package io.rowlock.autoconfigure.datasource;

import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;

/** What the errors of both servers and of their drivers mean. */
public final class ServerErrors {
    // --read-only or --super-read-only, a read-only transaction, InnoDB in read-only mode
    private static final Set<Integer> READ_ONLY = Set.of(1290, 1792, 1836);
    // Classes of SQL states: no connection, refused user
    private static final Set<String> CONNECTION_ERRORS = Set.of("08", "28");

    private ServerErrors() {}

    /** MySQL's driver has no number for what it does not send on a connection that is read-only. */
    public static boolean isReadOnly(SQLException error) {
        return READ_ONLY.contains(error.getErrorCode())
                || String.valueOf(error.getMessage()).startsWith("Connection is read-only");
    }

    public static boolean isConnectionError(SQLException error) {
        String state = String.valueOf(error.getSQLState());
        // a pool that gave up waiting for a connection has no state
        return error instanceof SQLTransientConnectionException
                || error instanceof SQLTimeoutException
                || CONNECTION_ERRORS.stream().anyMatch(state::startsWith);
    }
}
