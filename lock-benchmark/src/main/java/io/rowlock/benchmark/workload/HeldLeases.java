package io.rowlock.benchmark.workload;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.Renewal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Leases of a store, renewed as the client's renewal does it: a thousand a call. */
final class HeldLeases {
    static final int BATCH = 1_000;

    private final LockStore store;
    private final List<Lease> leases = new ArrayList<>();

    HeldLeases(LockStore store) {
        this.store = store;
    }

    void hold(List<String> keys) {
        for (String key : keys) {
            LeaseRequest request = new LeaseRequest(
                    key, LockMode.EXCLUSIVE, "renewal", RenewalTick.TTL, 1, Duration.ZERO, Duration.ofSeconds(3));
            if (!(store.tryAcquire(request) instanceof Attempt.Granted granted)) {
                throw new IllegalStateException("Busy: " + key);
            }
            leases.add(granted.lease());
        }
    }

    void renewAll() {
        for (int from = 0; from < leases.size(); from += BATCH) {
            Map<Lease, Renewal> outcome =
                    store.renew(leases.subList(from, Math.min(from + BATCH, leases.size())), RenewalTick.TTL);
            if (outcome.values().stream().anyMatch(renewal -> renewal != Renewal.RENEWED)) {
                throw new IllegalStateException("A lease was not renewed");
            }
        }
    }

    void releaseAll() {
        leases.forEach(store::release);
    }
}
