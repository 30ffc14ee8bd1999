package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.session.JdbcText.key;
import static io.rowlock.store.jdbc.session.JdbcText.micros;

import io.rowlock.LockMode;
import io.rowlock.Printable;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore.Downgrade;
import io.rowlock.store.LockStore.Drained;
import io.rowlock.store.LockStore.ExpiredLease;
import io.rowlock.store.NoConnectionException;
import io.rowlock.store.StoreCapabilities;
import io.rowlock.store.StoreCapabilities.Handoffs;
import io.rowlock.store.inspection.LiveLock;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.RowLockedException;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Strategy {@code lease}: a row that says until when it is held. One statement acquires a free key, one releases it.
 *
 * @see LeaseSql
 */
public final class LeaseStore extends ExpiringRowStore<LeaseSql> {
    /** The name of this strategy in {@code rowlock.strategy}. */
    public static final String NAME = "lease";

    /** The most packets of changes that are under way at a time. A further one is sent only if those take long. */
    public static final int BATCHES = 4;

    private static final Logger log = LoggerFactory.getLogger(LeaseStore.class);

    /** The limits of every store of this strategy. */
    public static final StoreCapabilities CAPABILITIES =
            new StoreCapabilities(Set.of(LockMode.values()), Duration.ofSeconds(1), true, Handoffs.RANGE);

    private final LeasePackets packets;

    /**
     * @param database where the lock table is
     * @param prefix what its name begins with
     * @param namedLocks where waiters queue, or null if they poll instead
     * @param batches the same database, over {@link #BATCHES} connections that accept several statements at once, to carry out acquisitions and
     *     releases of several threads together; or null if each goes alone
     */
    public LeaseStore(
            LockDatabase database,
            TablePrefix prefix,
            @Nullable NamedLocks namedLocks,
            @Nullable LockDatabase batches) {
        this(
                database,
                new LeaseSql(prefix),
                namedLocks,
                new LeasePackets(
                        batches == null ? database : batches,
                        prefix,
                        BATCHES,
                        batches == null ? Integer.MAX_VALUE : LeasePackets.FEW,
                        LeasePackets.LONG,
                        System::nanoTime));
    }

    LeaseStore(LockDatabase database, LeaseSql sql, @Nullable NamedLocks namedLocks, LeasePackets packets) {
        super(database, sql, namedLocks);
        this.packets = packets;
    }

    @Override
    public String strategy() {
        return NAME;
    }

    @Override
    public StoreCapabilities capabilities() {
        return CAPABILITIES;
    }

    /** Tries once; a request that does not wait acquires what is free. */
    @Override
    public Attempt tryAcquire(LeaseRequest request) {
        boolean together = request.mode() == LockMode.EXCLUSIVE;
        boolean waits = request.timeLimit().compareTo(Duration.ZERO) > 0;
        try {
            Optional<Attempt> attempt = together && packets.enter() ? packets.tryAcquire(request) : Optional.empty();
            return attempt.isPresent()
                    ? attempt.get()
                    : database.call(request.timeLimit(), true, attempt(request, waits ? queue : null));
        } catch (RowLockedException e) {
            return new Attempt.Busy(Optional.empty());
        } finally {
            if (together) {
                packets.leave();
            }
        }
    }

    @Override
    LockDatabase.Work<Attempt> attemptInQueue(LeaseRequest request) {
        return attempt(request, null);
    }

    private LockDatabase.Work<Attempt> attempt(LeaseRequest request, @Nullable NamedLockQueue notToOvertake) {
        return switch (request.mode()) {
            case EXCLUSIVE -> new ExclusiveAttempt(sql, request)::run;
            case SHARED -> new SharedAttempt(sql, request)::run;
            case PERMIT -> new PermitAttempt(sql, request, notToOvertake)::run;
        };
    }

    @Override
    public Drained drained(Lease lease) {
        List<ExpiredLease> removed = new ArrayList<>();
        boolean complete = false;
        try {
            complete = database.call(Duration.ZERO, true, session -> drained(session, lease, removed));
        } catch (RuntimeException e) {
            boolean isBusy = e instanceof RowLockedException || e instanceof NoConnectionException;
            if (!isBusy && removed.isEmpty()) {
                throw e; // else the next look does, and these are reported
            }
            log.debug("The readers of \"{}\" are looked for again", Printable.of(lease.key()), e);
        }
        return new Drained(complete, removed);
    }

    private boolean drained(Session session, Lease lease, List<ExpiredLease> removed) throws SQLException {
        byte[] key = key(lease.key());
        boolean empty = true;
        boolean complete = false;
        for (ExpiringRow reader : session.query(sql.readers, ExpiringRow::of, (Object) key)) {
            if (reader.slot() == 0) {
                complete = reader.token() == lease.fence();
                continue;
            }
            boolean gone = !reader.isLive() && session.update(sql.deleteExpiredReader, key, reader.slot()) == 1;
            if (gone) {
                reader.expired(lease.key()).ifPresent(removed::add);
            }
            empty &= gone;
        }
        return empty && complete;
    }

    @Override
    public boolean release(Lease lease, Duration keepFor) {
        if (!keepFor.isZero()) {
            return releaseAfter(lease, micros(keepFor));
        }
        byte[] key = key(lease.key());
        if (lease.mode() != LockMode.EXCLUSIVE) {
            return releaseWith(sql.releaseShared, key, lease.slot());
        }
        if (queue == null) {
            return releaseWith(sql.releaseExclusive, key, lease.fence());
        }
        try {
            Optional<Boolean> waitedFor =
                    packets.enter() && queue.canAsk(lease) ? packets.release(lease) : Optional.empty();
            if (waitedFor.isEmpty()) {
                return queue.release(lease, key, lease.fence()) == 1;
            }
            if (waitedFor.get()) {
                queue.contended.add(lease.key());
            }
            return true;
        } finally {
            packets.leave();
        }
    }

    @Override
    public Downgrade downgrade(Lease exclusive, long token, LeaseRequest shared) {
        byte[] key = key(exclusive.key());
        Lease reader = new Lease(exclusive.key(), LockMode.SHARED, shared.nonce(), token, shared.owner());
        LockDatabase.Work<Optional<Lease>> work = transaction -> {
            if (transaction.update(sql.reopenForReaders, key, exclusive.fence()) == 1) {
                transaction.update(sql.insertReader, key, shared.nonce(), shared.owner(), token, micros(shared.ttl()));
                return Optional.of(reader);
            }
            boolean done = !live(transaction, List.of(reader), sql.live(1)).isEmpty();
            return done ? Optional.of(reader) : Optional.empty();
        };
        return database.call(session -> session.inTransaction(work))
                .<Downgrade>map(Downgrade.Shared::new)
                .orElseGet(Downgrade.Lost::new);
    }

    @Override
    int abandon(Session session, LeaseRequest request, byte[] key) throws SQLException {
        return request.mode() == LockMode.EXCLUSIVE
                ? session.update(sql.abandonExclusive, key, request.nonce())
                : session.update(sql.releaseShared, key, request.nonce());
    }

    /** An exclusive lease is named by its token, a shared one by its slot. */
    @Override
    int end(Session session, LiveLock lock, byte[] key) throws SQLException {
        return lock.mode() == LockMode.EXCLUSIVE
                ? session.update(sql.releaseExclusive, key, lock.fence())
                : session.update(sql.releaseShared, key, lock.slot());
    }

    @Override
    public void close() {
        packets.close();
    }
}
