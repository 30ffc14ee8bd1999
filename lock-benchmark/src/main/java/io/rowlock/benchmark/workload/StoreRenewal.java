package io.rowlock.benchmark.workload;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.LockMode;
import io.rowlock.benchmark.contender.RedisStore;
import io.rowlock.benchmark.contender.RowlockLocks;
import io.rowlock.benchmark.server.Pools;
import io.rowlock.benchmark.server.Servers;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.LockStore.Renewal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Leases of a strategy, renewed as the client does it: a thousand a call. */
final class StoreRenewal implements RenewalTick.HeldLocks {
    static final int BATCH = 1_000;

    private final String name;
    private final boolean onDatabase;
    private final LockStore store;
    private final AutoCloseable connections;
    private final List<Lease> leases = new ArrayList<>();

    private StoreRenewal(String name, boolean onDatabase, LockStore store, AutoCloseable connections) {
        this.name = name;
        this.onDatabase = onDatabase;
        this.store = store;
        this.connections = connections;
    }

    static StoreRenewal onDatabase(Servers servers) {
        HikariDataSource pool = Pools.open(servers, 1);
        return new StoreRenewal("rowlock-lease", true, RowlockLocks.leases(pool), pool);
    }

    static StoreRenewal onRedis(Servers servers) {
        RedisStore redis = new RedisStore(servers);
        return new StoreRenewal("rowlock-redis", false, redis.store(), redis);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean isOnDatabase() {
        return onDatabase;
    }

    @Override
    public void hold(List<String> keys) {
        for (String key : keys) {
            LeaseRequest request =
                    new LeaseRequest(key, LockMode.EXCLUSIVE, "renewal", RenewalTick.TTL, 1, Duration.ofSeconds(3), 0);
            if (!(store.tryAcquire(request) instanceof Attempt.Granted granted)) {
                throw new IllegalStateException("Busy: " + key);
            }
            leases.add(granted.lease());
        }
    }

    @Override
    public void renewAll() {
        for (int from = 0; from < leases.size(); from += BATCH) {
            Map<Lease, Renewal> outcome =
                    store.renew(leases.subList(from, Math.min(from + BATCH, leases.size())), RenewalTick.TTL);
            if (outcome.values().stream().anyMatch(renewal -> renewal != Renewal.RENEWED)) {
                throw new IllegalStateException("A lease was not renewed");
            }
        }
    }

    @Override
    public void close() throws Exception {
        leases.forEach(store::release);
        store.close();
        connections.close();
    }
}
