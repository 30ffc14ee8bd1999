package io.rowlock.store.jdbc;

import io.rowlock.LockStoreException;
import io.rowlock.store.Lease;
import io.rowlock.store.LockLog;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the log at once: a grant in the transaction that takes its lease, or in a statement of its own if the lease was
 * there already, and each change when it happens. No grant is without its row.
 */
public final class SyncLockLog implements LockLog {
    private static final Logger log = LoggerFactory.getLogger(SyncLockLog.class);

    private final LockLogTable table;
    private final Map<Lease, GrantRecord> taken = new ConcurrentHashMap<>();

    /**
     * @param database where the log is
     * @param prefix what its name begins with
     */
    public SyncLockLog(LockDatabase database, TablePrefix prefix) {
        this.table = new LockLogTable(database, prefix);
    }

    /** Notes a lease in the transaction that takes it. */
    void taking(Session transaction, Lease lease, Duration waited) throws SQLException {
        GrantRecord grant = record(lease, waited);
        table.insert(transaction, List.of(grant.snapshot()));
        taken.put(lease, grant);
    }

    /** A lease ends: if it never became a grant, its row ends with it. */
    void releasing(Lease lease) {
        GrantRecord grant = taken.remove(lease);
        if (grant != null) {
            grant.released();
        }
    }

    @Override
    public Entry granted(Lease lease, Duration waited) {
        GrantRecord present = taken.remove(lease);
        if (present != null) {
            return present;
        }
        GrantRecord grant = record(lease, waited);
        table.write(List.of(grant.snapshot()));
        return grant;
    }

    private GrantRecord record(Lease lease, Duration waited) {
        return new GrantRecord(lease, waited, System::nanoTime, this::writeChange);
    }

    private void writeChange(GrantRecord grant) {
        try {
            table.write(List.of(grant.snapshot()));
        } catch (LockStoreException e) {
            log.warn("A change of the lock log was not written: {}", e.getMessage());
        }
    }
}
