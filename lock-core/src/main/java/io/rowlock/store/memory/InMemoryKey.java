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
import io.rowlock.store.inspection.StoreInspection.Holder;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The state of one key: a gate, as the lease strategy has it, the readers and the permits. Guarded by its {@link InMemoryTable}. */
final class InMemoryKey {
    private final String key;

    /** Readers and permits, by slot. */
    private final Map<Long, Row> inside = new HashMap<>();

    private @Nullable Row writer;
    private boolean hasHadReaders;
    private long fence;

    /**
     * A lease and how long it lasts by {@link System#nanoTime}.
     *
     * @param nonce the attempt that took it
     * @param since when it was taken, to be shown
     * @param taken the same by {@link System#nanoTime}
     * @param permits how many permits there may be with it, if it is one
     * @param inUse false if it only keeps the key taken for a while, and its process has no use for it any more
     */
    private record Row(Lease lease, long nonce, Instant since, long taken, long until, int permits, boolean inUse) {
        static Row of(Lease lease, LeaseRequest request) {
            long now = System.nanoTime();
            long end = now + request.ttl().toNanos();
            return new Row(lease, request.nonce(), Instant.now(), now, end, request.permits(), true);
        }

        Row lasting(Duration ttl) {
            return lasting(ttl, inUse);
        }

        Row keptFor(Duration rest) {
            return inUse ? lasting(rest, false) : this;
        }

        private Row lasting(Duration ttl, boolean used) {
            return new Row(lease, nonce, since, taken, System.nanoTime() + ttl.toNanos(), permits, used);
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
        Optional<Holder> obstacle =
                writer == null || !writer.isLive() ? Optional.empty() : Optional.of(writer.holder());
        if (obstacle.isPresent()) {
            return new Attempt.Busy(obstacle);
        }
        return switch (request.mode()) {
            case EXCLUSIVE -> exclusive(request);
            case SHARED -> {
                Optional<ExpiredLease> former = endExpiredWriter();
                yield new Attempt.Granted(entered(request), former);
            }
            case PERMIT -> permit(request);
        };
    }

    private Optional<ExpiredLease> endExpiredWriter() {
        Optional<ExpiredLease> former =
                Optional.ofNullable(writer).filter(Row::inUse).map(Row::expired);
        writer = null;
        return former;
    }

    private Attempt exclusive(LeaseRequest request) {
        fence += Lease.TOKENS;
        Lease lease = new Lease(key, LockMode.EXCLUSIVE, 0, fence, request.owner());
        Optional<ExpiredLease> former = endExpiredWriter();
        writer = Row.of(lease, request);
        return hasHadReaders ? new Attempt.Draining(lease, former) : new Attempt.Granted(lease, former);
    }

    private Lease entered(LeaseRequest request) {
        hasHadReaders = true;
        return enter(request, fence + Lease.TOKENS - 1);
    }

    /** Adds a permit, if there are fewer than it and each of them allows. */
    private Attempt permit(LeaseRequest request) {
        Optional<ExpiredLease> former = removeExpiredPermits();
        if (permits().count() < mostPermits(request.permits())) {
            return new Attempt.Granted(entered(request), endExpiredWriter().or(() -> former));
        }
        return new Attempt.Busy(firstPermitToEnd());
    }

    private Optional<ExpiredLease> removeExpiredPermits() {
        List<Row> over = permits().filter(row -> !row.isLive()).toList();
        inside.values().removeAll(over);
        return over.stream().filter(Row::inUse).map(Row::expired).findFirst();
    }

    private Stream<Row> permits() {
        return inside.values().stream().filter(row -> row.permits() > 0);
    }

    private int mostPermits(int asked) {
        return Math.min(asked, permits().mapToInt(Row::permits).min().orElse(asked));
    }

    private Optional<Holder> firstPermitToEnd() {
        return permits().map(Row::holder).min(Comparator.comparing(Holder::remaining));
    }

    private Lease enter(LeaseRequest request, long fenceOfLease) {
        Lease lease = new Lease(key, request.mode(), request.nonce(), fenceOfLease, request.owner());
        inside.put(lease.slot(), Row.of(lease, request));
        return lease;
    }

    Drained drained() {
        List<Row> over = inside.values().stream().filter(row -> !row.isLive()).toList();
        inside.values().removeAll(over);
        return new Drained(
                inside.isEmpty(),
                over.stream().filter(Row::inUse).map(Row::expired).toList());
    }

    Renewal renew(Lease lease, Duration ttl) {
        return replace(live(lease), row -> row.lastingAtLeast(ttl)) ? Renewal.RENEWED : Renewal.LOST;
    }

    private Optional<Row> live(Lease lease) {
        return row(lease).filter(Row::isLive);
    }

    /** The rest of a lease, lasting or not. */
    private Optional<Row> row(Lease lease) {
        Row row = lease.mode() == LockMode.EXCLUSIVE ? writer : inside.get(lease.slot());
        return Optional.ofNullable(row).filter(present -> present.lease().equals(lease));
    }

    /** @return whether there was one */
    private boolean replace(Optional<Row> former, UnaryOperator<Row> change) {
        former.map(change).ifPresent(row -> {
            if (row.lease().mode() == LockMode.EXCLUSIVE) {
                writer = row;
            } else {
                inside.put(row.lease().slot(), row);
            }
        });
        return former.isPresent();
    }

    boolean release(Lease lease, Duration keepFor) {
        if (!keepFor.isZero()) {
            return replace(live(lease), row -> row.keptFor(keepFor));
        }
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
            inside.remove(lease.slot());
        }
    }

    Downgrade downgrade(Lease exclusive, long token, LeaseRequest request) {
        if (live(exclusive).isPresent()) {
            writer = null;
            hasHadReaders = true;
            return new Downgrade.Shared(enter(request, token));
        }
        Row reader = inside.get(request.nonce());
        return reader != null && reader.isLive() ? new Downgrade.Shared(reader.lease()) : new Downgrade.Lost();
    }

    boolean abandon(LeaseRequest request) {
        if (request.mode() != LockMode.EXCLUSIVE) {
            return inside.remove(request.nonce()) != null;
        }
        boolean taken = writer != null && writer.nonce() == request.nonce();
        writer = taken ? null : writer;
        return taken;
    }

    Optional<Holder> holder(LockMode wanted) {
        Stream<Row> gate = Stream.ofNullable(writer);
        Stream<Row> all = wanted == LockMode.EXCLUSIVE ? Stream.concat(gate, inside.values().stream()) : gate;
        Optional<Holder> holder = all.filter(Row::isLive).map(Row::holder).findFirst();
        boolean full =
                wanted == LockMode.PERMIT && permits().filter(Row::isLive).count() >= mostPermits(Integer.MAX_VALUE);
        return holder.isEmpty() && full ? firstPermitToEnd() : holder;
    }

    List<LiveLock> live() {
        return rows().filter(Row::isLive)
                .sorted(Comparator.comparing(row -> row.lease().slot()))
                .map(Row::shown)
                .toList();
    }

    private Stream<Row> rows() {
        return Stream.concat(Stream.ofNullable(writer), inside.values().stream());
    }

    boolean isLive(Lease lease) {
        return live(lease).isPresent();
    }

    /** @return how many leases have run out now */
    int expire(Lease lease) {
        return replace(row(lease), row -> row.lasting(Duration.ZERO)) ? 1 : 0;
    }

    /** @return how many leases have run out now */
    int expireAll() {
        return rows().map(Row::lease).toList().stream().mapToInt(this::expire).sum();
    }
}
