package io.rowlock.store.jdbc.session;

import io.rowlock.LockStoreException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The connection of the business transaction that the current thread has open, or of one that may be suspended by now. */
public class TransactionConnection {
    private static final Duration SLACK = Duration.ofSeconds(1);
    private static final int UNLIMITED = -1;

    private final DataSource dataSource;
    private final int queryTimeoutSeconds;

    /** The connection of one transaction, whichever is current; null for that of the current one. */
    private final @Nullable Connection pinned;

    /**
     * @param dataSource the one the transaction manager works on
     * @param queryTimeout how long a statement may take; rounded up to whole seconds
     */
    public TransactionConnection(DataSource dataSource, Duration queryTimeout) {
        this(dataSource, LockDatabase.wholeSeconds(queryTimeout), null);
    }

    private TransactionConnection(DataSource dataSource, int queryTimeoutSeconds, @Nullable Connection pinned) {
        this.dataSource = dataSource;
        this.queryTimeoutSeconds = queryTimeoutSeconds;
        this.pinned = pinned;
    }

    /**
     * The database that a transaction is on, as far as its connection tells without a statement.
     *
     * @param product the kind of server
     * @param catalog the schema, if there is one
     * @param url where its driver connects to; never shown, as it may hold a password
     */
    public record Place(
            String product,
            @Nullable String catalog,
            @Nullable String url) {
        static Place of(Connection connection) throws SQLException {
            DatabaseMetaData server = connection.getMetaData();
            return new Place(String.valueOf(server.getDatabaseProductName()), connection.getCatalog(), server.getURL());
        }

        /** @return false if it must not be asked for lock tables: other servers end a transaction over a statement that they do not know. */
        boolean isMysql() {
            return product.contains("MySQL") || product.contains("MariaDB");
        }

        @Override
        public String toString() {
            return catalog == null ? product : "schema " + catalog + " of a " + product + " server";
        }
    }

    /**
     * Runs work within the transaction. Late or without an answer it does no harm: the locks it may acquire end with the transaction,
     * which cannot commit before the answer has come. Statements that lock begin with {@link JdbcText#CURRENT}.
     */
    public <T> T call(LockDatabase.Work<T> work) {
        return onConnection(connection -> on(connection, work))
                .orElseThrow(() -> new LockStoreException(
                        "The commit is refused: the transaction does not expose its JDBC connection, so its locks cannot be"
                                + " checked on it; use a JpaDialect that does, or set rowlock.fencing.transactional=false",
                        null));
    }

    /** Returns what work with the transaction's connection comes to; empty if it is not known. */
    public <T> Optional<T> onConnection(ConnectionCallback<T> work) {
        if (pinned == null && holder().isEmpty()) {
            return Optional.empty();
        }
        Connection connection = pinned != null ? pinned : DataSourceUtils.getConnection(dataSource);
        try {
            return Optional.of(work.doInConnection(connection));
        } catch (SQLException e) {
            throw SqlFailure.of(e).exception(e);
        } finally {
            if (pinned == null) {
                DataSourceUtils.releaseConnection(connection, dataSource);
            }
        }
    }

    private Optional<ConnectionHolder> holder() {
        return TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder
                ? Optional.of(holder)
                : Optional.empty();
    }

    /** Returns true if the current transaction reads all data as it was at its first read; false without one. */
    public boolean repeatsReads() {
        return onConnection(connection -> repeatsReads(connection, Duration.ofSeconds(queryTimeoutSeconds)))
                .orElse(false);
    }

    /**
     * Returns true if the transaction of a connection reads all data as it was at its first read.
     *
     * @param limit how long the driver may ask the server for that
     */
    public static boolean repeatsReads(Connection connection, Duration limit) throws SQLException {
        Session session = new Session(connection, 0);
        int isolation = limited(connection, session, limit, asked -> asked.ask(Connection::getTransactionIsolation));
        return isolation > Connection.TRANSACTION_READ_COMMITTED;
    }

    /**
     * Returns true if the server lets the current transaction write nothing; also if it is not known. A driver may note that a
     * transaction is read-only and say nothing of it to the server, as MariaDB's did before 3.5.10.
     */
    public boolean onlyReads() {
        return onConnection(connection -> !Place.of(connection).isMysql()
                        || on(
                                        connection,
                                        session -> session.number(onlyReads(connection.getMetaData()))
                                                .orElse(1))
                                != 0)
                .orElse(true);
    }

    private static String onlyReads(DatabaseMetaData server) throws SQLException {
        String setting = server.getDatabaseProductVersion().contains("MariaDB") ? "tx" : "transaction";
        return "SELECT @@%s_read_only OR %s OR @@innodb_read_only".formatted(setting, JdbcText.READ_ONLY);
    }

    /** Returns the database it is on, or null if its connection is not known. */
    @Nullable
    Place place() {
        return onConnection(Place::of).orElse(null);
    }

    /** Returns this transaction whichever is current later; itself if that is not known. Refuses one whose statements commit by themselves. */
    public TransactionConnection pinned() {
        return pinned != null ? this : onConnection(this::pinnedTo).orElse(this);
    }

    private TransactionConnection pinnedTo(Connection connection) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new LockStoreException(
                    "The commit is refused: the transaction's connection is in autocommit mode, so each of its statements was"
                            + " committed by itself, and no check can undo it; remove"
                            + " hibernate.connection.provider_disables_autocommit, or let the pool disable autocommit",
                    null);
        }
        return holder().map(holder -> on(holder.getConnection())).orElse(this);
    }

    /** Returns the transaction of a connection, whichever is current. */
    TransactionConnection on(Connection connection) {
        return new TransactionConnection(dataSource, queryTimeoutSeconds, connection);
    }

    /** Returns what tells from now on whether row locks of its connection can still last: not in autocommit mode. */
    public BooleanSupplier rowLocks() {
        return onConnection(connection -> (BooleanSupplier) () -> isOpen(connection))
                .orElse(() -> false);
    }

    /** Returns true if a connection has a transaction, or can begin one. Asks no server. */
    public static boolean isOpen(Connection connection) {
        try {
            return !connection.isClosed() && !connection.getAutoCommit();
        } catch (SQLException e) {
            return false;
        }
    }

    /**
     * Undoes what was done in the transaction that is current on a DataSource, which gives up its row locks and goes on.
     *
     * @return false if its connection is not known
     */
    public static boolean rollBack(DataSource dataSource) {
        return new TransactionConnection(dataSource, 0, null)
                .onConnection(connection -> {
                    connection.rollback();
                    return true;
                })
                .orElse(false);
    }

    private <T> T on(Connection connection, LockDatabase.Work<T> work) throws SQLException {
        Connections.requireStack();
        Session session = new Session(connection, queryTimeoutSeconds);
        return limited(connection, session, Duration.ofSeconds(queryTimeoutSeconds), work);
    }

    /**
     * Runs work on an application's connection, which often waits for ever: here an answer that does not come ends it.
     *
     * @param limit how long a statement may take, but for a second
     * @throws LockStoreException if the driver would repeat it on another connection, and read no answer
     */
    public static <T> T limited(Connection connection, Session session, Duration limit, LockDatabase.Work<T> work)
            throws SQLException {
        String url = String.valueOf(connection.getMetaData().getURL());
        if (url.contains("transactionReplay=true")
                && !url.startsWith("jdbc:mariadb://")) { // without a mode it never does
            throw new LockStoreException(
                    "The driver must not repeat a transaction under a lock: remove transactionReplay=true", null);
        }
        int usual = limitAnswers(connection, (int) limit.plus(SLACK).toMillis());
        try {
            return work.run(session);
        } finally {
            if (!session.isAnswered()) {
                Connections.spoil(connection); // the application would get the answer that is still on its way
            } else if (usual != UNLIMITED) {
                limitAgain(connection, usual);
            }
        }
    }

    /** Returns the limit to set again, or {@link #UNLIMITED} if there is nothing to set. */
    private static int limitAnswers(Connection connection, int millis) throws SQLException {
        try {
            int usual = connection.getNetworkTimeout();
            if (usual == 0 || usual > millis) {
                connection.setNetworkTimeout(Runnable::run, millis);
                return usual;
            }
        } catch (SQLFeatureNotSupportedException e) {
            // as the application's own statements
        }
        return UNLIMITED;
    }

    /** A connection that cannot be limited any more is closed, which the error before this one says better. */
    private static void limitAgain(Connection connection, int usual) {
        try {
            connection.setNetworkTimeout(Runnable::run, usual);
        } catch (SQLException e) {
            Connections.spoil(connection);
        }
    }
}
