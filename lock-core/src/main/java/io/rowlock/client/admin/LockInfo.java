package io.rowlock.client.admin;

import io.rowlock.LockHolder;
import io.rowlock.store.inspection.LiveLock;

/**
 * A lock that is held, as an operator sees it.
 *
 * @param key the key as programs name it, without the prefix
 * @param name the static name: the one this process holds the key by, else what {@link io.rowlock.LockRequest#name} gives
 * @param strategy its strategy
 * @param lock what the database shows
 * @param thisNode whether this process holds it
 * @param localWaiters how many threads of this process wait for the key
 */
public record LockInfo(String key, String name, String strategy, LiveLock lock, boolean thisNode, int localWaiters) {

    /** @return it as clients see it */
    public LockHolder holder() {
        return new LockHolder(lock.owner(), lock.mode(), strategy, lock.fence(), lock.since(), lock.remaining());
    }
}
