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
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Predicate;
import javax.net.ssl.SSLException;

/** Reasons why the database of the locks cannot be reached, the first that applies, with what to do about it. */
enum ConnectFailure {
    NO_SUCH_SCHEMA(
            error -> error.getErrorCode() == 1049,
            "The schema that is to keep Rowlock's tables does not exist",
            "Create it (CREATE DATABASE), or correct its name in the URL (spring.datasource.url)."),
    WRONG_USER(
            error -> error.getErrorCode() == 1045,
            "The database that is to keep Rowlock's tables refuses the user",
            "Correct the user and the password (spring.datasource.username and password, or those of rowlock.datasource), or let the user connect from this host."),
    TOO_MANY_CONNECTIONS(
            error -> error.getErrorCode() == 1040,
            "The database that is to keep Rowlock's tables accepts no more connections",
            "Raise max_connections of the server, or make the pools of its clients smaller."),
    TLS_REQUIRED(
            error -> error.getErrorCode() == 3159,
            "The database that is to keep Rowlock's tables accepts no connection without TLS",
            "Set sslMode=REQUIRED, or VERIFY_CA, in the URL (spring.datasource.url)."),
    UNKNOWN_HOST(
            error -> DriverError.hasCause(error, UnknownHostException.class),
            "The host of the database that is to keep Rowlock's tables is unknown",
            "Correct the host in the URL (spring.datasource.url), or the name service." + SchemaFailure.LATER),
    /** The driver of MySQL repeats what it could not read, with the password that may be in it. */
    MALFORMED_URL(
            error -> DriverError.causes(error)
                    .anyMatch(cause -> String.valueOf(cause.getMessage()).startsWith("Malformed database URL")),
            "The driver cannot read the URL of the database that is to keep Rowlock's tables",
            "Correct it (spring.datasource.url): jdbc:mysql://host:port/schema?name=value&name=value. Special characters in values, as in a"
                    + " password, are percent-encoded."),
    TLS_FAILED(
            error -> DriverError.hasCause(error, SSLException.class)
                    || DriverError.hasCause(error, GeneralSecurityException.class),
            "TLS with the database that is to keep Rowlock's tables failed",
            "Correct sslMode and the trust store in the URL (spring.datasource.url), or the server's certificate and its TLS versions."),
    REFUSED(
            error -> DriverError.hasCause(error, ConnectException.class),
            "The database that is to keep Rowlock's tables accepts no connection",
            "Start the database, or correct host and port in the URL (spring.datasource.url)." + SchemaFailure.LATER),
    NOT_REACHED(
            ConnectFailure::isOfConnecting,
            "The database that is to keep Rowlock's tables could not be reached within %s (rowlock.startup.timeout)",
            "Check host and port in the URL (spring.datasource.url), the network and its firewalls. If opening a connection takes longer,"
                    + " raise rowlock.startup.timeout." + SchemaFailure.LATER);

    @SuppressWarnings("ImmutableEnumChecker") // the predicates have no state
    private final Predicate<SQLException> applies;

    private final String what;
    private final String action;

    ConnectFailure(Predicate<SQLException> applies, String what, String action) {
        this.applies = applies;
        this.what = what;
        this.action = action;
    }

    /**
     * Explains a driver's error.
     *
     * @param timeout how long opening the first connection may take
     * @return what went wrong, or empty if it does not come from opening a connection
     */
    static Optional<RowlockSetupException> explain(SQLException error, Duration timeout) {
        return Arrays.stream(values())
                .filter(each -> each.applies.test(error))
                .findFirst()
                .map(each -> each.exception(error, timeout));
    }

    /** A pool that gave up waiting for a connection has no state. */
    private static boolean isOfConnecting(SQLException error) {
        String state = String.valueOf(error.getSQLState());
        return error instanceof SQLTransientConnectionException
                || error instanceof SQLTimeoutException
                || state.startsWith("08")
                || state.startsWith("28");
    }

    private RowlockSetupException exception(SQLException error, Duration timeout) {
        return this == MALFORMED_URL
                ? new RowlockSetupException(what, action)
                : new RowlockSetupException(
                        "%s: %s".formatted(what.formatted(Printable.of(timeout)), DriverError.text(error)),
                        action,
                        error);
    }
}
