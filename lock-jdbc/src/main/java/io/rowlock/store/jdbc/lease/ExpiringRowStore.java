package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.session.JdbcText.key;
import static io.rowlock.store.jdbc.session.JdbcText.micros;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.rowlock.store.Attempt;
import io.rowlock.store.CommitCheck;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.store.UncertainOutcomeException;
import io.rowlock.store.WaitQueue;
import io.rowlock.store.inspection.LiveLock;
import io.rowlock.store.inspection.StoreInspection;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.RowLockedException;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.TransactionConnection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Keeps leases as rows with an expiry: how they last, how they are released and waited for, and what an operator sees of them. */
abstract class ExpiringRowStore<S extends ExpiringRowSql> implements LockStore {
    final LockDatabase database;
    final S sql;
    final @Nullable NamedLockQueue queue;
    final LeaseInspection inspection;

    /**
     * @param database where the table is
     * @param namedLocks where waiters queue, or null if they poll instead
     */
    ExpiringRowStore(LockDatabase database, S sql, @Nullable NamedLocks namedLocks) {
        this.database = database;
        this.sql = sql;
        this.inspection = new LeaseInspection(this);
        this.queue = namedLocks == null ? null : new NamedLockQueue(namedLocks, this);
    }

    /** Tries once for a request that is the first in the queue, or does not know. */
    final Attempt tryAcquireInQueue(LeaseRequest request) {
        try {
            return database.call(request.timeLimit(), true, attemptInQueue(request));
        } catch (RowLockedException e) {
            return new Attempt.Busy(Optional.empty());
        }
    }

    /** Returns what such an attempt does. */
    abstract LockDatabase.Work<Attempt> attemptInQueue(LeaseRequest request);

    /** Ends one lease for an operator; none if another one has taken its place. @return how many rows matched */
    abstract int end(Session session, LiveLock lock, byte[] key) throws SQLException;

    /** Ends the lease that an attempt acquired, if it acquired one. @return how many rows matched */
    abstract int abandon(Session session, LeaseRequest request, byte[] key) throws SQLException;

    final boolean releaseWith(String statement, Object... row) {
        return database.call(null, false, session -> session.update(statement, row)) == 1;
    }

    @Override
    public boolean abandon(LeaseRequest request) {
        byte[] key = key(request.key());
        try {
            return database.callInTime(session -> abandon(session, request, key)) == 1;
        } catch (RowLockedException e) {
            return false;
        }
    }

    @Override
    public WaitQueue queue() {
        return queue == null ? WaitQueue.POLLING : queue;
    }

    @Override
    public Optional<StoreInspection> inspection() {
        return Optional.of(inspection);
    }

    @Override
    public Optional<CommitCheck> commitCheck(@Nullable DataSource transactional) {
        return Optional.ofNullable(transactional)
                .map(of -> new ExpiringRowFence(new TransactionConnection(of, database.queryTimeout()), sql));
    }

    // ---- renewing and ending later

    /**
     * {@inheritDoc} A batch is renewed with one statement. Only if that does not renew them all is it asked which are lost, and only
     * if another transaction has locked a row of the batch are the others renewed around it.
     */
    @Override
    public Map<Lease, Renewal> renew(List<Lease> leases, Duration ttl) {
        if (leases.isEmpty()) {
            return Map.of();
        }
        List<Lease> batch = leases.stream().sorted(Lease.STORE_ORDER).toList();
        long ttlMicros = micros(ttl);
        try {
            return database.call(session -> {
                boolean all = update(session, batch, ttlMicros) == batch.size();
                return all ? outcome(batch, lease -> Renewal.RENEWED) : withLost(batch, session);
            });
        } catch (RowLockedException | UncertainOutcomeException e) {
            return database.call(session -> aroundLockedRows(session, batch, ttlMicros));
        }
    }

    /**
     * Ends a lease after {@code restMicros}, unless it was released so before.
     *
     * @return false if it is gone
     */
    final boolean releaseAfter(Lease lease, long restMicros) {
        List<Lease> one = List.of(lease);
        return database.call(
                session -> session.update(sql.endLater, parameters(sql.naming, one, restMicros, restMicros)) == 1
                        || !live(session, one, sql.live(1)).isEmpty());
    }

    private int update(Session session, List<Lease> batch, long ttlMicros) throws SQLException {
        return session.update(sql.renew(width(batch)), parameters(sql.naming, batch, ttlMicros));
    }

    /** Counts the leases that a statement names: a power of two, so that only a few different texts are prepared. */
    static int width(List<Lease> batch) {
        int size = batch.size();
        return size == 1 ? 1 : Integer.highestOneBit(size - 1) << 1;
    }

    /** The parameters for that many leases, behind {@code first}; the last lease fills what is left. */
    static Object[] parameters(RowNaming naming, List<Lease> batch, Object... first) {
        List<Object> all = new ArrayList<>(List.of(first));
        for (int i = 0; i < width(batch); i++) {
            Collections.addAll(all, naming.parameters(batch.get(Math.min(i, batch.size() - 1))));
        }
        return all.toArray();
    }

    private static Map<Lease, Renewal> outcome(List<Lease> batch, Function<Lease, Renewal> of) {
        Map<Lease, Renewal> outcome = new HashMap<>();
        batch.forEach(lease -> outcome.put(lease, of.apply(lease)));
        return outcome;
    }

    /** A lease that still lasts after the update lasted when it ran, so it was renewed. */
    private Map<Lease, Renewal> withLost(List<Lease> batch, Session session) throws SQLException {
        Set<RowId> live = live(session, batch, sql.live(width(batch)));
        return outcome(batch, lease -> live.contains(RowId.of(lease)) ? Renewal.RENEWED : Renewal.LOST);
    }

    private Map<Lease, Renewal> aroundLockedRows(Session session, List<Lease> batch, long ttlMicros)
            throws SQLException {
        Set<RowId> renewed = session.inTransaction(transaction -> {
            Set<RowId> unlocked = live(transaction, batch, sql.lockUnlocked(width(batch)));
            List<Lease> free = batch.stream()
                    .filter(lease -> unlocked.contains(RowId.of(lease)))
                    .toList();
            if (!free.isEmpty()) {
                update(transaction, free, ttlMicros);
            }
            return unlocked;
        });
        Set<RowId> live = live(session, batch, sql.live(width(batch)));
        return outcome(batch, lease -> {
            RowId id = RowId.of(lease);
            Renewal reached = renewed.contains(id) ? Renewal.RENEWED : Renewal.UNKNOWN;
            return live.contains(id) ? reached : Renewal.LOST;
        });
    }

    final Set<RowId> live(Session session, List<Lease> batch, String statement) throws SQLException {
        return new HashSet<>(session.query(statement, RowId::of, parameters(sql.naming, batch)));
    }

    record RowId(String key, long slot, long fence) {
        static RowId of(Lease lease) {
            return new RowId(lease.key(), lease.slot(), lease.fence());
        }

        static RowId of(ResultSet row) throws SQLException {
            return new RowId(new String(row.getBytes(1), UTF_8), row.getLong(2), row.getLong(3));
        }
    }
}
