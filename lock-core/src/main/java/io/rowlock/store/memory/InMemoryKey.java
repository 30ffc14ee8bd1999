package io.rowlock.store.memory;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.Downgrade;
import io.rowlock.store.Drained;
import io.rowlock.store.ExpiredLease;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.Renewal;
import io.rowlock.store.inspection.Holder;
import io.rowlock.store.inspection.LiveLock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What is known of one key: a gate, as the lease strategy has it, and the readers. Guarded by its {@link InMemoryTable}. */
final class InMemoryKey {
    private final String key;
    private final Map<Long, Row> readers = new HashMap<>();
    private @Nullable Row writer;
    private boolean hasHadReaders;
    private long fence;

    /**
     * A lease and how long it lasts by {@link System#nanoTime}.
     *
     * @param nonce the attempt that took it
     * @param since when it was taken, to be shown
     * @param taken the same by {@link System#nanoTime}
     * @param change the number of the latest call that moved its end
     * @param inUse false if it only keeps the key taken for a while, and its process has no use for it any more
     */
    private record Row(Lease lease, long nonce, Instant since, long taken, long until, long change, boolean inUse) {
        static Row of(Lease lease, LeaseRequest request) {
            long now = System.nanoTime();
            long end = now + request.ttl().toNanos();
            return new Row(lease, request.nonce(), Instant.now(), now, end, 0, true);
        }

        Row lasting(Duration ttl) {
            return changed(ttl, change, inUse);
        }

        private Row changed(Duration ttl, long number, boolean used) {
            return new Row(lease, nonce, since, taken, System.nanoTime() + ttl.toNanos(), number, used);
        }

        Row lastingAtLeast(Duration ttl) {
            Row renewed = lasting(ttl);
            return inUse && renewed.until - until > 0 ? renewed : this;
        }

        boolean isLive() {
            return until - System.nanoTime() > 0;
        }

        Holder holder() {
            return new Holder(lease.owner(), Duration.ofNanos(until - System.nanoTime()));
        }

        LiveLock shown() {
            return new LiveLock(
                    lease.key(),
                    lease.mode(),
                    lease.slot(),
                    lease.owner(),
                    lease.fence(),
                    inUse ? since : null,
                    holder().remaining());
        }

        ExpiredLease expired() {
            return new ExpiredLease(lease, Duration.ofNanos(until - taken));
        }
    }

    InMemoryKey(String key) {
        this.key = key;
    }

    Attempt tryAcquire(LeaseRequest request) {
        Optional<Holder> inside = holder(LockMode.SHARED);
        if (inside.isPresent()) {
            return new Attempt.Busy(inside);
        }
        return request.mode() == LockMode.EXCLUSIVE ? exclusive(request) : shared(request);
    }

    private Attempt exclusive(LeaseRequest request) {
        fence += Lease.TOKENS;
        Lease lease = new Lease(key, LockMode.EXCLUSIVE, 0, fence, request.owner());
        Optional<ExpiredLease> former =
                Optional.ofNullable(writer).filter(Row::inUse).map(Row::expired);
        writer = Row.of(lease, request);
        return hasHadReaders ? new Attempt.Draining(lease, former) : new Attempt.Granted(lease, former);
    }

    private Attempt shared(LeaseRequest request) {
        hasHadReaders = true;
        return new Attempt.Granted(enter(request, fence + Lease.TOKENS - 1));
    }

    private Lease enter(LeaseRequest request, long fenceOfLease) {
        Lease lease = new Lease(key, LockMode.SHARED, request.nonce(), fenceOfLease, request.owner());
        readers.put(lease.slot(), Row.of(lease, request));
        return lease;
    }

    Drained drained() {
        List<Row> over = readers.values().stream().filter(row -> !row.isLive()).toList();
        readers.values().removeAll(over);
        return new Drained(
                readers.isEmpty(),
                over.stream().filter(Row::inUse).map(Row::expired).toList());
    }

    Renewal renew(Lease lease, Duration ttl) {
        return live(lease).map(row -> put(row.lastingAtLeast(ttl))).orElse(Renewal.LOST);
    }

    Renewal extend(Lease lease, Duration ttl, long change) {
        return changeable(lease, change)
                .map(row -> put(row.changed(ttl, change, row.inUse())))
                .orElse(Renewal.LOST);
    }

    Renewal release(Lease lease, Duration rest, long change) {
        return changeable(lease, change)
                .map(row -> put(row.changed(rest, change, false)))
                .orElse(Renewal.LOST);
    }

    private Optional<Row> changeable(Lease lease, long change) {
        return live(lease).filter(row -> row.change() < change);
    }

    private Optional<Row> live(Lease lease) {
        return row(lease).filter(Row::isLive);
    }

    /** What is left of a lease, lasting or not. */
    private Optional<Row> row(Lease lease) {
        Row row = lease.mode() == LockMode.EXCLUSIVE ? writer : readers.get(lease.slot());
        return Optional.ofNullable(row).filter(present -> present.lease().equals(lease));
    }

    private Renewal put(Row row) {
        if (row.lease().mode() == LockMode.EXCLUSIVE) {
            writer = row;
        } else {
            readers.put(row.lease().slot(), row);
        }
        return Renewal.RENEWED;
    }

    boolean release(Lease lease) {
        boolean present = row(lease).isPresent();
        if (present) {
            remove(lease);
        }
        return present;
    }

    private void remove(Lease lease) {
        if (lease.mode() == LockMode.EXCLUSIVE) {
            writer = null;
        } else {
            readers.remove(lease.slot());
        }
    }

    Downgrade downgrade(Lease exclusive, long token, LeaseRequest request) {
        if (live(exclusive).isPresent()) {
            writer = null;
            hasHadReaders = true;
            return new Downgrade.Shared(enter(request, token));
        }
        Row reader = readers.get(request.nonce());
        return reader != null && reader.isLive() ? new Downgrade.Shared(reader.lease()) : new Downgrade.Lost();
    }

    boolean abandon(LeaseRequest request) {
        if (request.mode() == LockMode.SHARED) {
            return readers.remove(request.nonce()) != null;
        }
        boolean taken = writer != null && writer.nonce() == request.nonce();
        writer = taken ? null : writer;
        return taken;
    }

    Optional<Holder> holder(LockMode wanted) {
        Stream<Row> obstacles = Stream.ofNullable(writer);
        Stream<Row> all =
                wanted == LockMode.EXCLUSIVE ? Stream.concat(obstacles, readers.values().stream()) : obstacles;
        return all.filter(Row::isLive).map(Row::holder).findFirst();
    }

    List<LiveLock> live() {
        return rows().filter(Row::isLive)
                .sorted(Comparator.comparing(row -> row.lease().slot()))
                .map(Row::shown)
                .toList();
    }

    private Stream<Row> rows() {
        return Stream.concat(Stream.ofNullable(writer), readers.values().stream());
    }

    boolean isLive(Lease lease) {
        return live(lease).isPresent();
    }

    /** @return how many leases have run out now */
    int expire(Lease lease) {
        return row(lease).map(row -> put(row.lasting(Duration.ZERO))).isPresent() ? 1 : 0;
    }

    /** @return how many leases have run out now */
    int expireAll() {
        return rows().map(Row::lease).toList().stream().mapToInt(this::expire).sum();
    }
}
