package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.session.JdbcText.key;
import static io.rowlock.store.jdbc.session.JdbcText.micros;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.StoreCapabilities;
import io.rowlock.store.inspection.LiveLock;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.RowLockedException;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Strategy {@code unique-key}: a row exists exactly while its key is locked, exclusively. One statement inserts it, one
 * deletes it, and the primary key lets one in. The row of a dead holder is deleted by the next attempt.
 *
 * @see UniqueKeySql
 */
public final class UniqueKeyStore extends ExpiringRowStore<UniqueKeySql> {
    /** The name of this strategy in {@code rowlock.strategy}. */
    public static final String NAME = "unique-key";

    /** The limits of every store of this strategy. */
    public static final StoreCapabilities CAPABILITIES = new StoreCapabilities(
            Set.of(LockMode.EXCLUSIVE), Duration.ofSeconds(1), true, (fence, held) -> UniqueKeySql.mostHandoffs(fence));

    /**
     * @param database where the tables are
     * @param prefix what their names begin with
     * @param namedLocks where waiters queue, or null if they poll instead
     */
    public UniqueKeyStore(LockDatabase database, TablePrefix prefix, @Nullable NamedLocks namedLocks) {
        super(database, new UniqueKeySql(prefix), namedLocks);
    }

    @Override
    public String strategy() {
        return NAME;
    }

    @Override
    public StoreCapabilities capabilities() {
        return CAPABILITIES;
    }

    @Override
    public Attempt tryAcquire(LeaseRequest request) {
        try {
            return database.call(request.timeLimit(), true, attemptInQueue(request));
        } catch (RowLockedException e) {
            return new Attempt.Busy(Optional.empty());
        }
    }

    @Override
    LockDatabase.Work<Attempt> attemptInQueue(LeaseRequest request) {
        return new UniqueKeyAttempt(sql, request)::run;
    }

    @Override
    public boolean release(Lease lease, Duration keepFor) {
        if (!keepFor.isZero()) {
            return releaseAfter(lease, micros(keepFor));
        }
        Object[] row = {key(lease.key()), lease.owner(), lease.fence()};
        return queue == null ? releaseWith(sql.release, row) : queue.release(lease, row) == 1;
    }

    @Override
    int abandon(Session session, LeaseRequest request, byte[] key) throws SQLException {
        return session.update(sql.abandon, key, request.nonce());
    }

    @Override
    int end(Session session, LiveLock lock, byte[] key) throws SQLException {
        return session.update(sql.release, key, lock.owner(), lock.fence());
    }
}
