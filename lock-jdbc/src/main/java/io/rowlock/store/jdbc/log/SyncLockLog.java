package io.rowlock.store.jdbc.log;

import io.rowlock.LockStoreException;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LockLog;
import io.rowlock.store.LogFilter;
import io.rowlock.store.LogRow;
import io.rowlock.store.inspection.LiveLock;
import io.rowlock.store.jdbc.LockDatabase;
import io.rowlock.store.jdbc.Session;
import io.rowlock.store.jdbc.TablePrefix;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the log at once: a grant in the transaction that takes its lease, or in a statement of its own if the lease was
 * there already, and each change when it happens. No grant is without its row.
 */
public final class SyncLockLog implements LockLog {
    private static final Logger log = LoggerFactory.getLogger(SyncLockLog.class);

    private final LogTable table;
    private final Map<Taken, LogEntry> taken = new ConcurrentHashMap<>();

    /**
     * @param database where the log is
     * @param prefix what its name begins with
     */
    public SyncLockLog(LockDatabase database, TablePrefix prefix) {
        this.table = new LogTable(database, prefix);
    }

    /**
     * Takes a lease and logs it in one transaction. Nothing else belongs in that transaction: what looks at a key and creates its
     * rows locks them in other modes. A writer that has to drain does not hold the key yet, so it is not logged.
     *
     * @param taking the statements that take the lease
     * @param waited how long the lease was waited for
     */
    public Optional<Attempt> attempt(
            Session session, String strategy, LockDatabase.Work<Optional<Attempt>> taking, Duration waited)
            throws SQLException {
        return logged(session, strategy, taking, SyncLockLog::granted, waited);
    }

    private static Optional<Lease> granted(Optional<Attempt> attempt) {
        return attempt.filter(Attempt.Granted.class::isInstance).map(granted -> ((Attempt.Granted) granted).lease());
    }

    /** As {@link #attempt}, for a lease that takes the place of another one. */
    public Optional<Lease> downgrade(
            Session session, String strategy, LockDatabase.Work<Optional<Lease>> downgrade, Duration waited)
            throws SQLException {
        return logged(session, strategy, downgrade, Function.identity(), waited);
    }

    /** Only what has been committed is known as logged. */
    private <T> T logged(
            Session session,
            String strategy,
            LockDatabase.Work<T> taking,
            Function<T, Optional<Lease>> leaseOf,
            Duration waited)
            throws SQLException {
        List<LogEntry> inserted = new ArrayList<>(1);
        T result = session.inTransaction(transaction -> {
            T answer = taking.run(transaction);
            Optional<Lease> lease = leaseOf.apply(answer);
            if (lease.isPresent()) {
                inserted.add(insert(
                        transaction, record(strategy, lease.get(), lease.get().fence(), waited)));
            }
            return answer;
        });
        inserted.forEach(entry -> taken.put(new Taken(strategy, entry.lease()), entry));
        return result;
    }

    private LogEntry insert(Session transaction, LogEntry grant) throws SQLException {
        grant.written(table.insert(transaction, List.of(grant.snapshot())).get(0));
        return grant;
    }

    /** A lease ends: if it never became a grant, its row ends with it. */
    public void releasing(String strategy, Lease lease) {
        LogEntry grant = taken.remove(new Taken(strategy, lease));
        if (grant != null) {
            grant.released();
        }
    }

    @Override
    public Entry granted(String strategy, Lease lease, long token, Duration waited) {
        LogEntry present = taken.remove(new Taken(strategy, lease));
        if (present != null) {
            return present;
        }
        LogEntry grant = record(strategy, lease, token, waited);
        table.writeInTime(List.of(grant.snapshot()));
        return grant;
    }

    @Override
    public List<LogRow> find(LogFilter filter) {
        return table.history.find(filter);
    }

    /** At once, in a statement of its own: the holder that took the key over must not wait for a row that another transaction has locked. */
    @Override
    public void expired(String strategy, Lease former) {
        try {
            table.expired.markInTime(new ExpiredGrants.Former(strategy, former));
        } catch (LockStoreException e) {
            log.warn("The lock log does not say yet that \"{}\" expired: {}", former.key(), e.getMessage());
        }
    }

    @Override
    public void ended(String strategy, LiveLock lock, String note) {
        table.history.ended(strategy, lock, note);
    }

    private LogEntry record(String strategy, Lease lease, long token, Duration waited) {
        return new LogEntry(strategy, lease, token, waited, System::nanoTime, this::writeChange);
    }

    private void writeChange(LogEntry grant) {
        try {
            table.write(List.of(grant.snapshot()));
        } catch (LockStoreException e) {
            log.warn("A change of the lock log was not written: {}", e.getMessage());
        }
    }

    /** Tokens are unique within one strategy only. */
    private record Taken(String strategy, Lease lease) {}
}
