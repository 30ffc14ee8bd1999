package io.rowlock.client;

import io.rowlock.LockMode;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import java.time.Duration;

/**
 * One key of a request, with every default filled in.
 *
 * @param store the strategy that takes it
 * @param name the key as the program named it
 * @param key the key as the table has it
 * @param mode exclusive or shared
 * @param ttl how long the lease lasts without a renewal
 * @param renewal whether it is renewed
 * @param renewalInterval how long after a renewal the next is due
 * @param holdAtLeast how long it stays taken at least
 * @param owner who takes it
 */
record Terms(
        LockStore store,
        String name,
        String key,
        LockMode mode,
        Duration ttl,
        boolean renewal,
        Duration renewalInterval,
        Duration holdAtLeast,
        String owner) {

    LockId id() {
        return new LockId(store.strategy(), key);
    }

    LeaseRequest leaseRequest() {
        return new LeaseRequest(key, mode, owner, ttl);
    }
}
