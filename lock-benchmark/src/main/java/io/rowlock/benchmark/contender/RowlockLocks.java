package io.rowlock.benchmark.contender;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.benchmark.server.Pools;
import io.rowlock.benchmark.server.Servers;
import io.rowlock.client.LockClientSettings;
import io.rowlock.client.RowlockClient;
import io.rowlock.store.LockLog;
import io.rowlock.store.LockStore;
import io.rowlock.store.jdbc.AsyncLockLog;
import io.rowlock.store.jdbc.LeaseStore;
import io.rowlock.store.jdbc.LockDatabase;
import io.rowlock.store.jdbc.TablePrefix;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Rowlock by its public API, with the settings the starter would choose. */
public final class RowlockLocks implements Locks {
    private static final TablePrefix PREFIX = new TablePrefix("rowlock_");
    private static final Duration QUERY_TIMEOUT = Duration.ofSeconds(3);

    private final HikariDataSource pool;
    private final LockStore store;
    private final RowlockClient client;

    private RowlockLocks(
            Servers servers,
            int threads,
            Function<HikariDataSource, LockStore> strategy,
            Function<HikariDataSource, LockLog> log) {
        pool = Pools.open(servers, threads);
        store = strategy.apply(pool);
        client = client(store, log.apply(pool));
    }

    private RowlockLocks(Servers servers, int threads, Function<HikariDataSource, LockStore> strategy) {
        this(servers, threads, strategy, connections -> LockLog.NONE);
    }

    static RowlockLocks lease(Servers servers, int threads) {
        return new RowlockLocks(servers, threads, RowlockLocks::leases);
    }

    static RowlockLocks loggedLease(Servers servers, int threads) {
        return new RowlockLocks(
                servers, threads, RowlockLocks::leases, connections -> new AsyncLockLog(database(connections), PREFIX));
    }

    private static LockDatabase database(HikariDataSource connections) {
        return new LockDatabase(connections, QUERY_TIMEOUT, false);
    }

    /**
     * @param connections the pool
     * @return the store of strategy {@code lease} alone
     */
    public static LockStore leases(HikariDataSource connections) {
        return new LeaseStore(database(connections), PREFIX);
    }

    /**
     * @param store the one strategy
     * @return a client that keeps no history
     */
    public static RowlockClient client(LockStore store) {
        return client(store, LockLog.NONE);
    }

    private static RowlockClient client(LockStore store, LockLog log) {
        LockClientSettings settings = new LockClientSettings(
                store.strategy(),
                Duration.ofSeconds(30),
                Duration.ofSeconds(PATIENCE_SECONDS),
                "",
                "benchmark-" + UUID.randomUUID(),
                true,
                true,
                null);
        return new RowlockClient(List.of(store), settings, List.of(), log);
    }

    @Override
    public Worker worker() {
        return new ClientWorker(client);
    }

    @Override
    public void close() {
        client.close();
        store.close();
        pool.close();
    }

    private static final class ClientWorker implements Worker {
        private final LockClient client;
        private @Nullable HeldLock held;

        ClientWorker(LockClient client) {
            this.client = client;
        }

        @Override
        public void lock(String key) {
            held = client.acquire(LockRequest.exclusive(key));
        }

        @Override
        public void lockShared(String key) {
            held = client.acquire(LockRequest.shared(key));
        }

        @Override
        public void unlock() {
            if (held != null) {
                held.close();
            }
        }
    }
}
