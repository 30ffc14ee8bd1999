package io.rowlock.store.jdbc.rowlock;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.mysql.cj.jdbc.JdbcConnection;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.LockMode;
import io.rowlock.servers.Cable;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.WaitQueue.QueuePosition;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.test.ServerSession;
import io.rowlock.test.database.TestSchema;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** The table of row locks, seen past the store, and stores on pools set up as the starter sets up its own. */
final class RowLockTable implements AutoCloseable {
    static final TablePrefix PREFIX = new TablePrefix("rowlock_");
    static final Duration QUERY_TIMEOUT = Duration.ofSeconds(8);
    static final Duration TTL = Duration.ofSeconds(30);

    private static final AtomicLong NUMBERS = new AtomicLong(System.nanoTime() >>> 1);

    private final TestSchema schema;
    private final JdbcTemplate jdbc;
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private HikariDataSource statements;
    private final Map<Long, Connection> connections = new ConcurrentHashMap<>();

    RowLockTable(TestSchema schema) {
        this.schema = schema;
        this.jdbc = new JdbcTemplate(schema.dataSource());
    }

    JdbcTemplate jdbc() {
        return jdbc;
    }

    String jdbcUrl() {
        return schema.jdbcUrl();
    }

    /** Connections without a pool. */
    DataSource driver() {
        return schema.dataSource();
    }

    HikariDataSource pool(int size, Consumer<HikariConfig> change) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(schema.jdbcUrl());
        config.setUsername(schema.username());
        config.setPassword(schema.password());
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(10_000);
        config.setInitializationFailTimeout(-1);
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        config.setAutoCommit(false);
        config.addDataSourceProperty("useServerPrepStmts", "true");
        config.addDataSourceProperty("cachePrepStmts", "true");
        config.addDataSourceProperty("emulateUnsupportedPstmts", "false");
        change.accept(config);
        HikariDataSource pool = new HikariDataSource(config);
        open.push(pool);
        return pool;
    }

    RowLockStore store(DataSource pool, int size, boolean fenced) {
        RowLockStore store = new RowLockStore(database(), noting(pool), size, PREFIX, fenced);
        open.push(store);
        return store;
    }

    /** Connections for single statements, which never run out. */
    LockDatabase database() {
        return database(QUERY_TIMEOUT);
    }

    LockDatabase database(Duration queryTimeout) {
        if (statements == null) {
            statements = pool(16, config -> {
                config.setAutoCommit(true);
                config.setConnectionInitSql("SET SESSION innodb_lock_wait_timeout = 1, time_zone = '+00:00'");
            });
        }
        return new LockDatabase(statements, 8, queryTimeout);
    }

    RowLockStore store(int size, boolean fenced) {
        return store(pool(size, config -> {}), size, fenced);
    }

    /** A store whose connections a cable can cut. */
    RowLockStore store(Cable cable, int size) {
        return store(pool(size, config -> config.setJdbcUrl(cable.url())), size, true);
    }

    private DataSource noting(DataSource pool) {
        return new DelegatingDataSource(pool) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                JdbcConnection physical = connection.unwrap(JdbcConnection.class);
                connections.put(physical.getSession().getThreadId(), physical);
                return connection;
            }
        };
    }

    /** After how much silence the server ends a session. Asks the session, so it is not silent then. */
    Duration idleLimit(long session) {
        return Duration.ofSeconds(setting(session, "@@SESSION.wait_timeout"));
    }

    long setting(long session, String expression) {
        try (Statement statement = connections.get(session).createStatement();
                ResultSet row = statement.executeQuery("SELECT " + expression)) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    static LeaseRequest request(String key, LockMode mode, Duration ttl) {
        return new LeaseRequest(key, mode, "alice", ttl, NUMBERS.incrementAndGet(), TTL, 0);
    }

    static Attempt attempt(RowLockStore at, String key, LockMode mode) {
        return at.tryAcquire(request(key, mode, TTL));
    }

    static Lease granted(Attempt attempt) {
        assertThat(attempt).isInstanceOf(Attempt.Granted.class);
        return ((Attempt.Granted) attempt).lease();
    }

    static boolean isFree(RowLockStore at, String key) {
        return attempt(at, key, LockMode.EXCLUSIVE) instanceof Attempt.Granted granted && at.release(granted.lease());
    }

    /** A position whose statement waits in the server's queue. */
    QueuePosition waiting(RowLockStore at, String key) throws InterruptedException {
        QueuePosition position =
                at.queue().join(request(key, LockMode.EXCLUSIVE, TTL)).orElseThrow();
        position.await(Duration.ofMillis(1));
        await(() -> waiting() == 1);
        return position;
    }

    /** The server's number of the session that holds a lease. */
    static long session(RowLockStore store, Lease lease) {
        return store.held.find(lease).orElseThrow().sessionId();
    }

    /** Ends a session as the server does when it has been silent for too long, and waits until it is gone. */
    void kill(long session) {
        jdbc.execute("KILL " + session);
        await(() -> !exists(session));
    }

    boolean exists(long session) {
        return ServerSession.all(jdbc).stream().anyMatch(each -> each.id() == session);
    }

    /** How many sessions of this schema wait for a gate. */
    int waiting() {
        return waitingSessions(-2).size();
    }

    /** The only session that waits for a gate. */
    long waitingSession() {
        return waitingSessions(-2).get(0);
    }

    /** How many transactions wait for a barrier. */
    int waitingForBarrier() {
        return waitingSessions(-1).size();
    }

    /** How many transactions wait for the row of strategy {@code transaction}. */
    int waitingForRow() {
        return waitingSessions(0).size();
    }

    private List<Long> waitingSessions(int slot) {
        return ServerSession.of(jdbc, schema.name()).stream()
                .filter(session -> session.runs("SELECT slot FROM rowlock_row WHERE lock_key = "))
                .filter(session -> session.runs(" AND slot = " + slot + " "))
                .filter(session -> !session.runs("NOWAIT") && !session.runs("lock_wait_timeout = 0"))
                .map(ServerSession::id)
                .toList();
    }

    /** A transaction of another program, rolled back in the end. */
    OpenTransaction begin() {
        return new OpenTransaction(schema.dataSource());
    }

    static final class OpenTransaction implements AutoCloseable {
        private final SingleConnectionDataSource session;
        private final JdbcTemplate jdbc;
        private boolean open = true;

        OpenTransaction(DataSource dataSource) {
            try {
                session = new SingleConnectionDataSource(dataSource.getConnection(), true);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
            jdbc = new JdbcTemplate(session);
            jdbc.execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
            jdbc.execute("BEGIN");
        }

        /** @return false if another transaction has the row locked */
        boolean locks(String key, int slot, String how) {
            try {
                return !jdbc.queryForList(
                                "SELECT slot FROM rowlock_row WHERE lock_key = ? AND slot = ? " + how, bytes(key), slot)
                        .isEmpty();
            } catch (ConcurrencyFailureException | UncategorizedSQLException e) {
                return false;
            }
        }

        void update(String sql, String key) {
            jdbc.update(sql, (Object) bytes(key));
        }

        void commit() {
            jdbc.execute("COMMIT");
        }

        @Override
        public void close() {
            if (open) {
                open = false;
                jdbc.execute("ROLLBACK");
                session.destroy();
            }
        }
    }

    int count(String sql, Object... parameters) {
        Integer count = jdbc.queryForObject(sql, Integer.class, parameters);
        return count == null ? 0 : count;
    }

    static byte[] bytes(String key) {
        return key.getBytes(UTF_8);
    }

    static void await(Callable<Boolean> condition) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(20))
                .until(condition);
    }

    /** Last opened, first closed: a store before its pool. */
    void closeOpened() {
        statements = null;
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Override
    public void close() {
        closeOpened();
    }
}
