package io.rowlock.store.jdbc.lease;

import io.rowlock.store.jdbc.Writers;
import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;

/** What is sent to clusters, on a server that is none. */
@OnServer(ServerFlavor.MYSQL)
class MySqlManyWritersFenceTests extends LeaseFenceContract {
    @Override
    Writers writers() {
        return Writers.MANY;
    }
}
