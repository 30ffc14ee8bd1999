package io.rowlock.store.jdbc.rowlock;

import static io.rowlock.store.jdbc.session.JdbcText.key;

import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.store.TransactionLocks;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.SameDatabase;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.SqlFailure;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.jdbc.session.TablePrefix.Table;
import io.rowlock.store.jdbc.session.TransactionConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.util.ConcurrentLruCache;
import org.springframework.util.function.SingletonSupplier;

/**
 * Strategy {@code transaction}: a row for each key, locked by the business transaction itself. A free row takes one
 * statement. A transaction that has to wait waits in the server's queue, for a second at a time, so that an interrupt and the
 * end of the process end the wait; the last second of the wait time is spent with attempts, and all of it where a wait that
 * times out would roll the transaction back.
 */
public final class TransactionRowLocks implements TransactionLocks {
    private static final int MOST_KNOWN_KEYS = 10_000;

    /** Each key has a row of its own, besides those of strategy {@code row-lock}. */
    static final int SLOT = 0;

    /** Asks for what a {@link Server} is. */
    private static final String FACTS = "SELECT @@innodb_rollback_on_timeout, VERSION() LIKE '%MariaDB%'";

    private final LockDatabase database;
    private final SingletonSupplier<List<TransactionConnection>> all;
    private final SameDatabase same;
    /** The keys whose rows exist, as far as is known; one that is not among them gets its row. */
    private final ConcurrentLruCache<String, String> known;

    /** Locks nothing. Behind it follows how the row is to be locked, which is found by primary key: so no gap is locked under any isolation. */
    private final String select;

    private volatile @Nullable Server server;

    /**
     * @param database connections for single statements
     * @param transactional the DataSources of transaction managers; asked for once, when the first lock is acquired
     * @param same says whether a transaction is where the lock tables are
     * @param prefix what the table's name begins with
     */
    public TransactionRowLocks(
            LockDatabase database, Supplier<List<DataSource>> transactional, SameDatabase same, TablePrefix prefix) {
        this.database = database;
        this.all = SingletonSupplier.of(() -> transactional.get().stream()
                .map(each -> new TransactionConnection(each, database.queryTimeout()))
                .toList());
        this.same = same;
        select = "SELECT slot FROM %s WHERE lock_key = ? AND slot = %s".formatted(prefix.of(Table.ROW), SLOT);
        NewRows rows = NewRows.ofTransactions(database, prefix);
        known = new ConcurrentLruCache<>(MOST_KNOWN_KEYS, key -> {
            rows.create(key);
            return key;
        });
    }

    @Override
    public boolean isReachable() {
        return all.obtain().stream().anyMatch(same::covers);
    }

    @Override
    public boolean readsCommitted() {
        return onConnection(connection -> !TransactionConnection.repeatsReads(connection, database.queryTimeout()));
    }

    // ---- rows

    @Override
    public void create(String key) {
        String unused = known.get(key);
    }

    // ---- the lock

    @Override
    public Outcome lock(String key, LockMode mode, Duration patience, Runnable wait) throws InterruptedException {
        Outcome outcome = onConnection(connection -> lock(connection, key, mode, patience, wait));
        if (outcome == Outcome.NO_ROW) {
            boolean unused = known.remove(key);
        }
        if (outcome == Outcome.BUSY && !patience.isZero() && Thread.interrupted()) {
            throw new InterruptedException();
        }
        return outcome;
    }

    private Outcome lock(Connection connection, String key, LockMode mode, Duration patience, Runnable wait)
            throws SQLException {
        Server facts = server();
        String waiting = RowLockSql.waiting(select, mode);
        return TransactionConnection.limited(
                connection,
                new Session(connection, 0),
                database.queryTimeout(),
                session -> new RowWait(session, key, facts.rollsBackOnTimeout(), atOnce(mode, facts), waiting)
                        .lock(patience, wait));
    }

    // ---- questions about it

    @Override
    public Transaction current() {
        return onConnection(Current::new);
    }

    private final class Current implements Transaction {
        private final Connection connection;

        private Current(Connection connection) {
            this.connection = connection;
        }

        @Override
        public boolean isOpen() {
            return TransactionConnection.isOpen(connection);
        }

        /**
         * {@inheritDoc} A transaction that has lost its exclusive lock gets a shared one here if the row is free: another session would
         * get that, too, which no session does beside an exclusive lock. Nothing weaker than a shared lock exists to tell
         * a shared one by.
         */
        @Override
        public boolean holds(String key, LockMode mode) {
            return mode == LockMode.EXCLUSIVE
                    ? isGranted(key) && isRefusedToOthers(key, LockMode.SHARED)
                    : isRefusedToOthers(key, LockMode.EXCLUSIVE) && isGranted(key);
        }

        private boolean isGranted(String key) {
            try {
                return lock(connection, key, LockMode.SHARED, Duration.ZERO, () -> {}) == Outcome.LOCKED;
            } catch (SQLException e) {
                throw SqlFailure.of(e).exception(e);
            }
        }
    }

    /** Locks the row in a transaction of its own, which ends with the statement. */
    private boolean isRefusedToOthers(String key, LockMode mode) {
        String attempt = atOnce(mode, server());
        return database.callInTime(session -> {
            try {
                OptionalLong unused = session.number(attempt, (Object) key(key));
                return false;
            } catch (SQLException e) {
                SqlFailure.ROW_LOCKED.require(e);
                return true;
            }
        });
    }

    /**
     * The facts of the server, asked once.
     *
     * @param rollsBackOnTimeout whether it rolls a whole transaction back if one of its statements waited too long for a row
     * @param mariaDb whether it is one: it spells a shared lock differently
     */
    private record Server(boolean rollsBackOnTimeout, boolean mariaDb) {}

    private String atOnce(LockMode mode, Server server) {
        return RowLockSql.atOnce(select, mode, server.mariaDb());
    }

    private Server server() {
        Server answer = server;
        if (answer == null) {
            answer = database.callInTime(
                            session -> session.query(FACTS, row -> new Server(row.getBoolean(1), row.getBoolean(2))))
                    .get(0);
            server = answer;
        }
        return answer;
    }

    private <T> T onConnection(ConnectionCallback<T> work) {
        List<TransactionConnection> open =
                all.obtain().stream().filter(same::covers).toList();
        if (open.size() > 1) {
            throw new IllegalStateException(
                    "Transactions of %d managers are open on this thread and on the lock tables, so the one that the lock would be part of is"
                                    .formatted(open.size())
                            + " not known. End the outer one before, or use one manager");
        }
        return open.stream()
                .findFirst()
                .flatMap(transaction -> transaction.onConnection(connection -> inTransaction(connection, work)))
                .orElseThrow(
                        () -> new LockStoreException("The transaction has no connection to the lock tables", null));
    }

    private static <T> T inTransaction(Connection connection, ConnectionCallback<T> work) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "The connection to the lock tables is in autocommit mode, so it has no transaction that could have a lock");
        }
        return work.doInConnection(connection);
    }
}
