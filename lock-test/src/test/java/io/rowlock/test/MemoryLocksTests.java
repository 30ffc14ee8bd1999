package io.rowlock.test;

import io.rowlock.store.Lease;
import io.rowlock.store.LockStore;

/** The store for tests without a database does what the others do. */
class MemoryLocksTests extends LockStoreContract {
    private final MemoryLocks table = new MemoryLocks();

    @Override
    protected LockStore createStore() {
        return table.store();
    }

    @Override
    protected void expire(Lease lease) {
        table.expire(lease);
    }
}
