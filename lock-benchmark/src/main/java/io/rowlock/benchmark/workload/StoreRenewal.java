package io.rowlock.benchmark.workload;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.LockMode;
import io.rowlock.benchmark.contender.RowlockLocks;
import io.rowlock.benchmark.server.Pools;
import io.rowlock.benchmark.server.Servers;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.Renewal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Rowlock's store, asked as the client's renewal does: a thousand leases a call. */
final class StoreRenewal implements RenewalTick.HeldLocks {
    static final int BATCH = 1_000;

    private final HikariDataSource pool;
    private final LockStore store;
    private final List<Lease> leases = new ArrayList<>();

    StoreRenewal(Servers servers) {
        pool = Pools.open(servers, 1);
        store = RowlockLocks.leases(pool);
    }

    @Override
    public String name() {
        return "rowlock-lease";
    }

    @Override
    public void hold(List<String> keys) {
        for (String key : keys) {
            LeaseRequest request = new LeaseRequest(
                    key, LockMode.EXCLUSIVE, "renewal", RenewalTick.TTL, 1, Duration.ZERO, Duration.ofSeconds(3));
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
    public void close() {
        store.close();
        pool.close();
    }
}
