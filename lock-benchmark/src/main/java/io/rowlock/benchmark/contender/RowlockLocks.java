package io.rowlock.benchmark.contender;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.benchmark.server.Pools;
import io.rowlock.benchmark.server.Servers;
import io.rowlock.client.RowlockClient;
import io.rowlock.store.LockStore;
import io.rowlock.store.jdbc.lease.LeaseStore;
import io.rowlock.store.jdbc.lease.NamedLocks;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** The bare client with strategy {@code lease}: no fence, no log, no events, no meters. */
public final class RowlockLocks implements Locks {
    private static final TablePrefix PREFIX = new TablePrefix("rowlock_");
    private static final Duration QUERY_TIMEOUT = Duration.ofSeconds(3);

    /** As the starter's pool of waiters. */
    private static final int PLACES = 8;

    private final List<HikariDataSource> pools;
    private final NamedLocks namedLocks;
    private final LockStore store;
    private final RowlockClient client;

    RowlockLocks(Servers servers, int threads) {
        HikariDataSource waiters = Pools.openOnDemand(servers, PLACES);
        HikariDataSource packets = Pools.openForPackets(servers, LeaseStore.BATCHES);
        HikariDataSource pool = Pools.open(servers, threads);
        pools = List.of(waiters, packets, pool);
        namedLocks = new NamedLocks(waiters, PLACES, QUERY_TIMEOUT);
        store = new LeaseStore(database(pool), PREFIX, namedLocks, database(packets));
        client = client(store);
    }

    private static LockDatabase database(HikariDataSource connections) {
        return new LockDatabase(connections, 8, QUERY_TIMEOUT);
    }

    /**
     * @param connections the pool
     * @return the store of strategy {@code lease} alone
     */
    public static LockStore leases(HikariDataSource connections) {
        return new LeaseStore(database(connections), PREFIX, null, null);
    }

    /**
     * @param store the one strategy
     * @return a client that keeps no history
     */
    public static RowlockClient client(LockStore store) {
        return RowlockClient.builder(store)
                .waitTime(Duration.ofSeconds(PATIENCE_SECONDS))
                .owner("benchmark-" + UUID.randomUUID())
                .build();
    }

    @Override
    public Worker worker() {
        return new ClientWorker(client);
    }

    @Override
    public void close() {
        client.close();
        store.close();
        namedLocks.close();
        pools.forEach(HikariDataSource::close);
    }
}
