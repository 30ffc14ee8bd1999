package io.rowlock.benchmark.workload;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.benchmark.contender.RowlockLocks;
import io.rowlock.benchmark.server.Pools;
import io.rowlock.benchmark.server.Servers;
import io.rowlock.store.LockStore;
import java.util.List;

/** Strategy {@code lease}, renewed as the client does. */
final class StoreRenewal implements RenewalTick.HeldLocks {
    private final HikariDataSource pool;
    private final LockStore store;
    private final HeldLeases leases;

    StoreRenewal(Servers servers) {
        pool = Pools.open(servers, 1);
        store = RowlockLocks.leases(pool);
        leases = new HeldLeases(store);
    }

    @Override
    public String name() {
        return "rowlock-lease";
    }

    @Override
    public void hold(List<String> keys) {
        leases.hold(keys);
    }

    @Override
    public void renewAll() {
        leases.renewAll();
    }

    @Override
    public void close() {
        store.close();
        pool.close();
    }
}
