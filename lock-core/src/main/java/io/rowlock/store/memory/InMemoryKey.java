package io.rowlock.store.memory;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore.Downgrade;
import io.rowlock.store.LockStore.Drained;
import io.rowlock.store.LockStore.ExpiredLease;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.store.inspection.LiveLock;
import io.rowlock.store.inspection.StoreInspection;
import io.rowlock.store.inspection.StoreInspection.Holder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** The state of one key: a gate, as the lease strategy has it, the readers and the permits. Guarded by its {@link InMemoryTable}. */
final class InMemoryKey {
    /** The slot of the exclusive lease, before all others. */
    private static final long GATE = 0;

    private final String key;

    /** All leases, by slot. */
    private final SortedMap<Long, Row> rows = new TreeMap<>();

    private boolean hasHadReaders;
    private long fence;

    /**
     * A lease and how long it lasts by {@link System#nanoTime}.
     *
     * @param nonce the attempt that acquired it
     * @param since when it was acquired, to be shown
     * @param acquired the same by {@link System#nanoTime}
     * @param permits how many permits there may be with it, if it is one
     * @param inUse false if it only keeps the key for a while, and its process has no use for it any more
     */
    record Row(Lease lease, long nonce, Instant since, long acquired, long until, int permits, boolean inUse) {
        static Row of(Lease lease, LeaseRequest request) {
            long now = System.nanoTime();
            long end = now + request.ttl().toNanos();
            return new Row(lease, request.nonce(), Instant.now(), now, end, request.permits(), true);
        }

        Row keptFor(Duration rest) {
            return inUse ? lasting(rest, false) : this;
        }

        Row lasting(Duration ttl, boolean used) {
            return new Row(lease, nonce, since, acquired, System.nanoTime() + ttl.toNanos(), permits, used);
        }

        Row lastingAtLeast(Duration ttl) {
            Row renewed = lasting(ttl, inUse);
            return inUse && renewed.until - until > 0 ? renewed : this;
        }

        boolean isLive() {
            return until - System.nanoTime() > 0;
        }

        LiveLock shown() {
            return new LiveLock(
                    lease.key(),
                    lease.mode(),
                    lease.slot(),
                    lease.owner(),
                    lease.fence(),
                    inUse ? since : null,
                    Duration.ofNanos(until - System.nanoTime()),
                    permits);
        }

        ExpiredLease expired() {
            return new ExpiredLease(lease, Duration.ofNanos(until - acquired));
        }
    }

    InMemoryKey(String key) {
        this.key = key;
    }

    Attempt tryAcquire(LeaseRequest request) {
        LockMode mode = request.mode() == LockMode.EXCLUSIVE ? LockMode.SHARED : request.mode(); // it drains readers
        Optional<Holder> other = StoreInspection.inTheWay(live(), mode, request.permits());
        if (other.isPresent()) {
            return new Attempt.Busy(other);
        }
        boolean permit = request.mode() == LockMode.PERMIT;
        Optional<ExpiredLease> former = removeExpired(row -> isGate(row) || (permit && row.permits() > 0)).stream()
                .findFirst();
        if (request.mode() != LockMode.EXCLUSIVE) {
            hasHadReaders = true;
            Lease lease = acquired(request, request.nonce(), fence + Lease.TOKENS - 1);
            return new Attempt.Granted(lease, former, Optional.empty());
        }
        fence += Lease.TOKENS;
        Lease lease = acquired(request, GATE, fence);
        return hasHadReaders
                ? new Attempt.Draining(lease, former, Optional.empty())
                : new Attempt.Granted(lease, former, Optional.empty());
    }

    private static boolean isGate(Row row) {
        return row.lease().slot() == GATE;
    }

    private Lease acquired(LeaseRequest request, long slot, long fenceOfLease) {
        Lease lease = new Lease(key, request.mode(), slot, fenceOfLease, request.owner());
        rows.put(slot, Row.of(lease, request));
        return lease;
    }

    private List<ExpiredLease> removeExpired(Predicate<Row> of) {
        List<Row> over =
                rows.values().stream().filter(of.and(row -> !row.isLive())).toList();
        rows.values().removeAll(over);
        return over.stream().filter(Row::inUse).map(Row::expired).toList();
    }

    private Stream<Row> liveRows() {
        return rows.values().stream().filter(Row::isLive);
    }

    Drained drained() {
        List<ExpiredLease> over = removeExpired(row -> !isGate(row));
        return new Drained(rows.keySet().stream().allMatch(slot -> slot == GATE), over);
    }

    Renewal renew(Lease lease, Duration ttl) {
        return replace(live(lease), row -> row.lastingAtLeast(ttl)) ? Renewal.RENEWED : Renewal.LOST;
    }

    Optional<Row> live(Lease lease) {
        return row(lease).filter(Row::isLive);
    }

    /** The rest of a lease, lasting or not. */
    private Optional<Row> row(Lease lease) {
        return Optional.ofNullable(rows.get(lease.slot()))
                .filter(present -> present.lease().equals(lease));
    }

    /** @return whether there was one */
    private boolean replace(Optional<Row> former, UnaryOperator<Row> change) {
        former.map(change).ifPresent(row -> rows.put(row.lease().slot(), row));
        return former.isPresent();
    }

    boolean release(Lease lease, Duration keepFor) {
        return keepFor.isZero()
                ? row(lease).map(row -> rows.remove(lease.slot())).isPresent()
                : replace(live(lease), row -> row.keptFor(keepFor));
    }

    Downgrade downgrade(Lease exclusive, long token, LeaseRequest request) {
        if (live(exclusive).isPresent()) {
            rows.remove(GATE);
            hasHadReaders = true;
            return new Downgrade.Shared(acquired(request, request.nonce(), token));
        }
        Row reader = rows.get(request.nonce());
        return reader != null && reader.isLive() ? new Downgrade.Shared(reader.lease()) : new Downgrade.Lost();
    }

    boolean abandon(LeaseRequest request) {
        return rows.values().removeIf(row -> row.nonce() == request.nonce());
    }

    List<LiveLock> live() {
        return liveRows().map(Row::shown).toList();
    }

    /** Ends the terms of leases now. @return how many leases the key has */
    int expire(Predicate<Lease> which) {
        rows.replaceAll((slot, row) -> which.test(row.lease()) ? row.lasting(Duration.ZERO, row.inUse()) : row);
        return rows.size();
    }
}
