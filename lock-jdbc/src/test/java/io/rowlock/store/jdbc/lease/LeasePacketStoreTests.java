package io.rowlock.store.jdbc.lease;

import io.rowlock.store.LockStore;
import io.rowlock.test.AfterServer;
import io.rowlock.test.OnEachServer;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** The contract, with each exclusive lease taken and released by a packet. */
@OnEachServer(dependsOnServer = true)
class LeasePacketStoreTests extends LeaseStoreContract {
    private final List<NamedLocks> namedLocks = new ArrayList<>();

    @Override
    LockStore store(DataSource pool) {
        NamedLocks queues = new NamedLocks(pool, 4, LeaseTable.QUERY_TIMEOUT);
        namedLocks.add(queues);
        return LeasesInPackets.store(
                LeaseTable.database(pool), LeaseTable.PREFIX, queues, LeaseTable.database(table.packetPool()));
    }

    @AfterServer
    void closeQueues() {
        namedLocks.forEach(NamedLocks::close);
    }
}
