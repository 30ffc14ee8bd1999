package io.rowlock.store.jdbc.lease;

import io.rowlock.store.Lease;
import io.rowlock.store.LockStore;
import javax.sql.DataSource;

/** The contract, for unique keys on a real server. */
abstract class UniqueKeyStoreContract extends LeaseStoreContract {

    @Override
    LockStore store(DataSource pool) {
        return UniqueKeyTable.store(pool);
    }

    @Override
    protected boolean supportsPermits() {
        return false;
    }

    @Override
    protected boolean supportsShared() {
        return false;
    }

    @Override
    protected void expire(Lease lease) {
        new UniqueKeyTable(table).expire(lease);
    }
}
