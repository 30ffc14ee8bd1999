package io.rowlock.store.jdbc.lease;

import io.rowlock.store.LockStore;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.TablePrefix;

/** Stores that take and release each exclusive lease with a packet, also if no other thread does so at the time. */
public final class LeasesInPackets {
    private LeasesInPackets() {}

    /** @param packets connections that take several statements at once, four at least */
    public static LockStore store(
            LockDatabase database, TablePrefix prefix, NamedLocks namedLocks, LockDatabase packets) {
        return new LeaseStore(
                database,
                new LeaseSql(prefix),
                namedLocks,
                new LeasePackets(packets, prefix, LeaseStore.BATCHES, 0, LeasePackets.LONG, System::nanoTime));
    }
}
