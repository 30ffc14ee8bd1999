package io.rowlock.autoconfigure.database;

import io.rowlock.Printable;
import io.rowlock.autoconfigure.diagnostics.DriverError;
import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import javax.net.ssl.SSLException;

/** Says why the database of the locks cannot be reached and what to do about it. */
final class ConnectFailure {
    private static final int NO_SUCH_SCHEMA = 1049;
    private static final int WRONG_USER = 1045;
    private static final int TOO_MANY_CONNECTIONS = 1040;

    private static final String OR_LATER =
            " To start while the database is down, set rowlock.schema.initialize to never.";

    private static final int TLS_REQUIRED = 3159;

    /** A class of SQL states. */
    private static final String REFUSED_USER = "28";

    private ConnectFailure() {}

    /** @return whether a driver's error comes from opening a connection */
    static boolean includes(SQLException error) {
        return error.getErrorCode() == NO_SUCH_SCHEMA
                || error.getErrorCode() == TLS_REQUIRED
                || isMalformed(error)
                || isConnectionError(error);
    }

    private static boolean isConnectionError(SQLException error) {
        String state = String.valueOf(error.getSQLState());
        // A pool that gave up waiting for a connection has no state
        return error instanceof SQLTransientConnectionException
                || error instanceof SQLTimeoutException
                || state.startsWith("08")
                || state.startsWith(REFUSED_USER);
    }

    /** Returns true if the driver of MySQL repeats what it could not read, with the password that may be in it. */
    private static boolean isMalformed(Throwable error) {
        return DriverError.causes(error)
                .anyMatch(cause -> String.valueOf(cause.getMessage()).startsWith("Malformed database URL"));
    }

    /** @param timeout how long opening the first connection may take */
    static RowlockSetupException of(SQLException error, Duration timeout) {
        return switch (error.getErrorCode()) {
            case NO_SUCH_SCHEMA ->
                failure(
                        "The schema that is to keep Rowlock's tables does not exist",
                        error,
                        "Create it (CREATE DATABASE), or correct its name in the URL (spring.datasource.url).");
            case WRONG_USER ->
                failure(
                        "The database that is to keep Rowlock's tables refuses the user",
                        error,
                        "Correct the user and the password (spring.datasource.username and password), or let the user"
                                + " connect from this host.");
            case TOO_MANY_CONNECTIONS ->
                failure(
                        "The database that is to keep Rowlock's tables takes no more connections",
                        error,
                        "Raise max_connections of the server, or make the pools of its clients smaller.");
            case TLS_REQUIRED ->
                failure(
                        "The database that is to keep Rowlock's tables takes no connection without TLS",
                        error,
                        "Set sslMode=REQUIRED, or VERIFY_CA, in the URL (spring.datasource.url).");
            default -> unreachable(error, timeout);
        };
    }

    private static RowlockSetupException unreachable(SQLException error, Duration timeout) {
        if (DriverError.hasCause(error, UnknownHostException.class)) {
            return failure(
                    "The host of the database that is to keep Rowlock's tables is unknown",
                    error,
                    "Correct the host in the URL (spring.datasource.url), or the name service." + OR_LATER);
        }
        if (isMalformed(error)) {
            return new RowlockSetupException(
                    "The driver cannot read the URL of the database that is to keep Rowlock's tables",
                    "Correct it (spring.datasource.url): jdbc:mysql://host:port/schema?name=value&name=value. Special characters in"
                            + " values, as in a password, are percent-encoded.",
                    null);
        }
        if (DriverError.hasCause(error, SSLException.class)
                || DriverError.hasCause(error, GeneralSecurityException.class)) {
            return failure(
                    "TLS with the database that is to keep Rowlock's tables failed",
                    error,
                    "Correct sslMode and the trust store in the URL (spring.datasource.url), or the server's certificate and its TLS"
                            + " versions.");
        }
        if (DriverError.hasCause(error, ConnectException.class)) {
            return failure(
                    "The database that is to keep Rowlock's tables takes no connection",
                    error,
                    "Start the database, or correct host and port in the URL (spring.datasource.url)." + OR_LATER);
        }
        return failure(
                "The database that is to keep Rowlock's tables could not be reached within %s (rowlock.startup.timeout)"
                        .formatted(Printable.of(timeout)),
                error,
                "Check host and port in the URL (spring.datasource.url), the network and its firewalls. If opening a"
                        + " connection takes longer, raise rowlock.startup.timeout." + OR_LATER);
    }

    private static RowlockSetupException failure(String what, SQLException error, String action) {
        return new RowlockSetupException("%s: %s".formatted(what, DriverError.text(error)), action, error);
    }
}
