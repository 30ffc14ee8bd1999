package io.rowlock.store.jdbc.lease;

import io.rowlock.store.Lease;
import io.rowlock.store.LockStore;
import io.rowlock.test.OnEachServer;
import javax.sql.DataSource;

/** The contract, for unique keys on a real server. */
@OnEachServer(dependsOnServer = true)
class UniqueKeyStoreTests extends LeaseStoreContract {

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
