package io.rowlock.store.jdbc.fence;

import static io.rowlock.store.jdbc.session.JdbcText.key;

import io.rowlock.FencingTokens;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.StaleReadException;
import io.rowlock.StaleTokenException;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.SqlFailure;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.jdbc.session.TransactionConnection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The tokens that calls came with, in a table of the receiver's database. Thread-safe. */
public final class SeenTokens implements FencingTokens {
    /** Longer than the server's own limit for a row that another transaction keeps, whose error is more specific. */
    private static final Duration QUERY_TIMEOUT = Duration.ofMinutes(1);

    private final TransactionConnection transaction;
    private final SeenTokenSql sql;
    private volatile boolean locksRows;

    /**
     * Makes tokens in one table.
     *
     * @param dataSource the one the transaction manager works on
     * @param prefix what the table's name begins with
     */
    public SeenTokens(DataSource dataSource, TablePrefix prefix) {
        DataSource target =
                dataSource instanceof TransactionAwareDataSourceProxy proxy ? proxy.getTargetDataSource() : dataSource;
        if (target == null) {
            throw new IllegalArgumentException("The DataSource is a proxy without a target");
        }
        this.transaction = new TransactionConnection(target, QUERY_TIMEOUT);
        this.sql = new SeenTokenSql(prefix);
    }

    /** Makes tokens in {@code rowlock_token}. */
    public static final class OfDataSource implements Factory {
        @Override
        public FencingTokens of(DataSource dataSource) {
            return new SeenTokens(dataSource, new TablePrefix("rowlock_"));
        }
    }

    private record Row(long token, String seenAt) {
        static Row of(ResultSet row) throws SQLException {
            return new Row(row.getLong(1), row.getString(2));
        }
    }

    @Override
    public void require(String key, long token) {
        LockRequest.exclusive(key); // checks the key
        if (token <= 0 || token >= 1L << 53) { // tokens fit into a JSON number
            throw new IllegalArgumentException(
                    "%d is no token of the lock \"%s\": tokens are 1 to 9007199254740991; pass what HeldLock.fencingToken() returned"
                            .formatted(token, Printable.of(key)));
        }
        requireTransaction(key);
        try {
            transaction.call(session -> note(session, key, token));
        } catch (LockStoreException e) {
            throw SqlFailure.NO_TABLE.caused(e) ? missingTable(e) : e;
        }
    }

    /** The lock tables may be elsewhere: what creates those creates none here. */
    private LockStoreException missingTable(LockStoreException failure) {
        return new LockStoreException(
                "The database of these FencingTokens has no table %s: create it there, as db/rowlock/mysql/V1__lock_tables.sql of rowlock-jdbc does"
                        .formatted(sql.table),
                failure.getCause());
    }

    /** In auto-commit mode the row would be unlocked before anything is stored. */
    private void requireTransaction(String key) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()
                || !transaction.onConnection(TransactionConnection::isOpen).orElse(false)) {
            throw new IllegalStateException(
                    "The token of the lock \"%s\" is required outside of a transaction of the DataSource of these FencingTokens, or in one that does not expose its JDBC connection; call require in the transaction that stores what the token is for"
                            .formatted(Printable.of(key)));
        }
        if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            throw new IllegalStateException(
                    "The token of the lock \"%s\" is required in a read-only transaction, which cannot note it"
                            .formatted(Printable.of(key)));
        }
    }

    /** @return how many rows have the token now */
    private int note(Session session, String key, long token) throws SQLException {
        byte[] bytes = key(key);
        session.update(sql.lock, bytes, token);
        List<Row> current = session.query(sql.current, Row::of, (Object) bytes);
        if (current.isEmpty()) {
            throw new SQLException("No row was made for the lock \"%s\"".formatted(Printable.of(key)));
        }
        if (current.get(0).token() > token) {
            throw new StaleTokenException(key, token, current.get(0).token());
        }
        if (!current.equals(session.query(sql.snapshot, Row::of, (Object) bytes))) {
            throw new StaleReadException(
                    "The transaction began to read before another one that required the token of the lock \"%s\" committed, so it may have read what that one changed; call require before the transaction reads"
                            .formatted(key));
        }
        requireRowLocks(session);
        return session.update(sql.raise, token, bytes);
    }

    /** Other engines carry out every statement as if it were alone. */
    private void requireRowLocks(Session session) throws SQLException {
        if (locksRows) {
            return;
        }
        List<String> engine = session.query(sql.engine, row -> row.getString(1), sql.table);
        if (engine.isEmpty() || !engine.stream().allMatch("InnoDB"::equalsIgnoreCase)) {
            throw new LockStoreException(
                    "The table %s has the engine %s, which locks no rows; ALTER TABLE %1$s ENGINE = InnoDB"
                            .formatted(sql.table, engine),
                    null);
        }
        locksRows = true;
    }
}
