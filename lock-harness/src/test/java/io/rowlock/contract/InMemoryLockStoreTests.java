package io.rowlock.contract;

import io.rowlock.store.Lease;
import io.rowlock.store.LockStore;
import io.rowlock.store.memory.InMemoryLockStore;

/** The reference store is held to the contract of the strategies on databases. */
class InMemoryLockStoreTests extends LockStoreContract {
    private final InMemoryLockStore locks = new InMemoryLockStore();

    @Override
    protected boolean supportsPermits() {
        return true;
    }

    @Override
    protected LockStore createStore() {
        return locks.named(InMemoryLockStore.NAME);
    }

    @Override
    protected void expire(Lease lease) {
        locks.expire(lease);
    }
}
