package io.rowlock.store.jdbc.lease;

import io.rowlock.store.LockStore;
import io.rowlock.store.jdbc.LockDatabase;
import io.rowlock.store.jdbc.Writers;
import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;
import javax.sql.DataSource;

/** What is sent to clusters, on a server that is none. */
@OnServer(ServerFlavor.MYSQL)
class MySqlManyWritersStoreTests extends LeaseStoreContract {
    @Override
    LockStore store(DataSource pool) {
        return new LeaseStore(
                new LockDatabase(pool, 8, LeaseTable.QUERY_TIMEOUT, false, Writers.MANY), LeaseTable.PREFIX);
    }
}
