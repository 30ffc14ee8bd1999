package io.rowlock.store.jdbc.lease;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.CommitCheck;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.jdbc.session.TablePrefix.Table;
import io.rowlock.test.database.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** The lock table of one test class, seen past the store, and pools set up as the starter sets up its own. */
public final class LeaseTable implements AutoCloseable {

    public static final TablePrefix PREFIX = new TablePrefix("rowlock_");
    public static final Duration TTL = Duration.ofSeconds(30);
    public static final Duration QUERY_TIMEOUT = Duration.ofSeconds(8);

    /** Their threads wait for a connection of the pool, up to ten seconds: a store gives up after one. */
    static final int MOST_WAITERS = 64;

    /**
     * How an application's sessions begin: patient, and on MariaDB with what it does by default from 11.6.2 on. Other servers
     * read over the comment.
     */
    public static final String APPLICATION_SQL =
            "SET SESSION innodb_lock_wait_timeout = 20 /*M!110402 , innodb_snapshot_isolation = ON */";

    private static final AtomicLong NUMBERS = new AtomicLong(System.nanoTime() >>> 1);

    private final TestSchema schema;
    private final Deque<HikariDataSource> pools = new ArrayDeque<>();
    private final JdbcTemplate jdbc;
    private final LeaseStore store;

    public LeaseTable(TestSchema schema) {
        this.schema = schema;
        this.jdbc = new JdbcTemplate(schema.dataSource());
        this.store = store(pool(config -> {}));
    }

    /** A store on a pool of its own. */
    LeaseStore store() {
        return store;
    }

    static LeaseStore store(DataSource dataSource) {
        return new LeaseStore(database(dataSource), PREFIX, null, null);
    }

    static LockDatabase database(DataSource dataSource) {
        return new LockDatabase(dataSource, MOST_WAITERS, QUERY_TIMEOUT);
    }

    /** A pool for packets of statements. */
    HikariDataSource packetPool() {
        return pool(config -> config.addDataSourceProperty("allowMultiQueries", "true"));
    }

    /** @param few up to how many changes at a time are carried out one by one */
    LeasePackets packets(DataSource packets, int few) {
        return new LeasePackets(database(packets), PREFIX, 4, few, LeasePackets.LONG, System::nanoTime);
    }

    /** @param change what is different from the starter's pool */
    public HikariDataSource pool(Consumer<HikariConfig> change) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(schema.jdbcUrl());
        config.setUsername(schema.username());
        config.setPassword(schema.password());
        config.setMaximumPoolSize(8);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(10_000);
        config.setInitializationFailTimeout(-1);
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        config.setConnectionInitSql("SET SESSION innodb_lock_wait_timeout = 1, time_zone = '+00:00'");
        config.addDataSourceProperty("useServerPrepStmts", "true");
        config.addDataSourceProperty("cachePrepStmts", "true");
        config.addDataSourceProperty("emulateUnsupportedPstmts", "false");
        change.accept(config);
        HikariDataSource pool = new HikariDataSource(config);
        pools.push(pool);
        return pool;
    }

    public JdbcTemplate jdbc() {
        return jdbc;
    }

    public static String freshKey() {
        return "key-" + UUID.randomUUID();
    }

    public static LeaseRequest request(String key, LockMode mode, Duration ttl) {
        int permits = mode == LockMode.PERMIT ? 2 : 0;
        return new LeaseRequest(key, mode, "alice", ttl, NUMBERS.incrementAndGet(), TTL, permits);
    }

    static LeaseRequest permitRequest(String key, int permits) {
        return new LeaseRequest(key, LockMode.PERMIT, "alice", TTL, NUMBERS.incrementAndGet(), TTL, permits);
    }

    public static Attempt attempt(LockStore at, String key) {
        return at.tryAcquire(request(key, LockMode.EXCLUSIVE, TTL));
    }

    Lease acquire(String key) {
        return granted(attempt(store, key));
    }

    Lease acquireShared(String key) {
        return granted(store.tryAcquire(request(key, LockMode.SHARED, TTL)));
    }

    public static Lease granted(Attempt attempt) {
        assertThat(attempt).isInstanceOf(Attempt.Granted.class);
        return ((Attempt.Granted) attempt).lease();
    }

    /** Asks a check as a client does, for one lease after another in the order in which stores lock them. */
    public static Optional<Lease> firstLost(CommitCheck check, Lease... leases) {
        return Arrays.stream(leases)
                .sorted(Lease.STORE_ORDER)
                .filter(lease -> !check.isHeld(lease))
                .findFirst();
    }

    /** Makes a lease run out now. */
    void expire(Lease lease) {
        assertThat(jdbc.update(
                        "UPDATE rowlock_lock SET expires_at = UTC_TIMESTAMP(6) WHERE lock_key = ? AND slot = ? AND fence = ?",
                        lease.key().getBytes(UTF_8),
                        lease.slot(),
                        lease.fence()))
                .isEqualTo(1);
    }

    /** Waits until a lease has run out by the database's clock. */
    void awaitExpiry(Lease lease) {
        await(() -> count(
                        "SELECT COUNT(*) FROM rowlock_lock WHERE lock_key = ? AND slot = ? AND expires_at > UTC_TIMESTAMP(6)",
                        lease.key().getBytes(UTF_8),
                        lease.slot())
                == 0);
    }

    public int count(String sql, Object... parameters) {
        Integer count = jdbc.queryForObject(sql, Integer.class, parameters);
        return count == null ? 0 : count;
    }

    /**
     * Waits until a session waits for a row lock. Not asked is {@code innodb_trx}: it looks at the transactions anew only if
     * no session of the server has asked it for a tenth of a second.
     */
    public void awaitLockWait(long connectionId) {
        String session = " thread id " + connectionId + ",";
        await(() -> Arrays.stream(innodbStatus().split("---TRANSACTION"))
                .anyMatch(transaction -> transaction.contains(session) && transaction.contains("\nLOCK WAIT ")));
    }

    private String innodbStatus() {
        return jdbc.queryForObject("SHOW ENGINE INNODB STATUS", (row, number) -> row.getString("Status"));
    }

    public static void await(Callable<Boolean> condition) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .until(condition);
    }

    /** Runs a call in a thread of its own. */
    public static <T> CompletableFuture<T> async(Callable<T> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                result.complete(call.call());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return result;
    }

    public static long connectionId(DataSource single) {
        Long id = new JdbcTemplate(single).queryForObject("SELECT CONNECTION_ID()", Long.class);
        return id == null ? 0 : id;
    }

    /** Another program's transaction. */
    public OpenTransaction begin() {
        return new OpenTransaction(schema.dataSource());
    }

    @Override
    public void close() {
        pools.forEach(HikariDataSource::close);
    }

    /** A transaction in which locks are kept until {@link #close()}, which rolls it back. */
    public static final class OpenTransaction implements AutoCloseable {
        private final Connection connection;
        private final JdbcTemplate jdbc;

        private OpenTransaction(DataSource dataSource) {
            try {
                connection = dataSource.getConnection();
                connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
                connection.setAutoCommit(false);
                jdbc = new JdbcTemplate(new SingleConnectionDataSource(connection, true));
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        JdbcTemplate jdbc() {
            return jdbc;
        }

        /** Its session waits in the queue of a key, as the first. */
        OpenTransaction queue(String key) {
            String getLock = "SELECT GET_LOCK(%s, 0)".formatted(NamedLocks.name(PREFIX.of(Table.LOCK), "?"));
            assertThat(jdbc.queryForObject(getLock, Integer.class, (Object) key.getBytes(UTF_8)))
                    .isEqualTo(1);
            return this;
        }

        /** @param how FOR UPDATE or LOCK IN SHARE MODE */
        OpenTransaction lock(String key, long slot, String how) {
            String row = "SELECT fence FROM rowlock_lock WHERE lock_key = ? AND slot = ? ";
            assertThat(jdbc.queryForList(row + how, Long.class, key.getBytes(UTF_8), slot))
                    .hasSize(1);
            return this;
        }

        /** As another session's statement does that has the gate. */
        void insertPermit(String key, int permits) {
            jdbc.update(
                    "INSERT INTO rowlock_lock (lock_key, slot, owner, fence, acquired_at, expires_at, permits)"
                            + " VALUES (?, ?, 'other', 1, UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) + INTERVAL 30 SECOND, ?)",
                    key.getBytes(UTF_8),
                    NUMBERS.incrementAndGet(),
                    permits);
        }

        void commit() {
            try {
                connection.commit();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() {
            try (connection) {
                connection.rollback();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
