package io.rowlock.store.jdbc.lease;

import io.rowlock.store.LockStore;
import io.rowlock.store.jdbc.queue.NamedLocks;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;

/** The contract, with each exclusive lease taken and released by a packet. */
abstract class LeasePacketStoreContract extends LeaseStoreContract {
    private final List<NamedLocks> namedLocks = new ArrayList<>();

    @Override
    LockStore store(DataSource pool) {
        NamedLocks queues = new NamedLocks(pool, 4, LeaseTable.QUERY_TIMEOUT);
        namedLocks.add(queues);
        return LeasesInPackets.store(
                LeaseTable.database(pool), LeaseTable.PREFIX, queues, LeaseTable.database(table.packetPool()));
    }

    @AfterAll
    void closeQueues() {
        namedLocks.forEach(NamedLocks::close);
    }
}
