package io.rowlock.cluster;

import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** Threads that want one key, as writers and as readers, and count how often they hold it beside others. Thread-safe. */
final class Rivals {
    private final long end;
    private final AtomicInteger writersIn = new AtomicInteger();
    private final AtomicInteger readersIn = new AtomicInteger();
    private final AtomicInteger exclusive = new AtomicInteger();
    private final AtomicInteger shared = new AtomicInteger();
    private final AtomicInteger overlaps = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();

    Rivals(Duration duration) {
        end = System.nanoTime() + duration.toNanos();
    }

    void fight(LockStore store, Function<LockMode, LeaseRequest> request) {
        while (System.nanoTime() - end < 0) {
            LockMode mode = ThreadLocalRandom.current().nextInt(3) == 0 ? LockMode.EXCLUSIVE : LockMode.SHARED;
            try {
                Attempt attempt = store.tryAcquire(request.apply(mode));
                if (attempt instanceof Attempt.Granted granted) {
                    hold(granted.lease());
                    store.release(granted.lease());
                } else if (attempt instanceof Attempt.Draining draining) {
                    drain(store, draining.lease());
                    store.release(draining.lease());
                }
            } catch (LockStoreException e) {
                failures.incrementAndGet();
            }
        }
    }

    private void drain(LockStore store, Lease lease) {
        for (int look = 0; look < 50; look++) {
            if (store.drained(lease)) {
                hold(lease);
                return;
            }
        }
    }

    private void hold(Lease lease) {
        boolean writer = lease.mode() == LockMode.EXCLUSIVE;
        (writer ? exclusive : shared).incrementAndGet();
        int writers = writer ? writersIn.incrementAndGet() : writersIn.get();
        int readers = writer ? readersIn.get() : readersIn.incrementAndGet();
        // Of two that come at the same moment at least one sees the other
        if (writer ? writers > 1 || readers > 0 : writersIn.get() > 0) {
            overlaps.incrementAndGet();
        }
        pause();
        (writer ? writersIn : readersIn).decrementAndGet();
    }

    private static void pause() {
        long until = System.nanoTime() + ThreadLocalRandom.current().nextLong(1_000_000);
        while (System.nanoTime() - until < 0) {
            Thread.yield();
        }
    }

    int overlaps() {
        return overlaps.get();
    }

    int grants() {
        return Math.min(exclusive.get(), shared.get());
    }

    @Override
    public String toString() {
        return "%s overlaps in %s exclusive and %s shared grants, %s failures".formatted(overlaps, exclusive, shared, failures);
    }
}
