package io.rowlock.cluster;

import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.stream.IntStream;

/** Threads that want the same few keys, as writers and as readers, and count how often they hold one beside others. Thread-safe. */
final class Rivals {
    private static final int KEYS = 4;
    private static final int LOOKS = 50;

    private final long end;
    private final List<Key> keys =
            IntStream.range(0, KEYS).mapToObj(i -> new Key("rivals-" + i)).toList();
    private final AtomicInteger exclusive = new AtomicInteger();
    private final AtomicInteger shared = new AtomicInteger();
    private final AtomicInteger overlaps = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();

    Rivals(Duration duration) {
        end = System.nanoTime() + duration.toNanos();
    }

    void fight(LockStore store, BiFunction<String, LockMode, LeaseRequest> request) {
        while (System.nanoTime() - end < 0) {
            ThreadLocalRandom dice = ThreadLocalRandom.current();
            Key key = keys.get(dice.nextInt(KEYS));
            LockMode mode = dice.nextInt(3) == 0 ? LockMode.EXCLUSIVE : LockMode.SHARED;
            try {
                take(store, key, request.apply(key.name(), mode));
            } catch (LockStoreException e) {
                failures.incrementAndGet();
            }
        }
    }

    private void take(LockStore store, Key key, LeaseRequest request) {
        Attempt attempt = store.tryAcquire(request);
        if (attempt instanceof Attempt.Granted granted) {
            hold(key, granted.lease());
            store.release(granted.lease());
        } else if (attempt instanceof Attempt.Draining draining) {
            if (IntStream.range(0, LOOKS)
                    .anyMatch(look -> store.drained(draining.lease()).complete())) {
                hold(key, draining.lease());
            }
            store.release(draining.lease());
        }
    }

    /** Each comes in first and looks then, so that of two at least one sees the other. */
    private void hold(Key key, Lease lease) {
        boolean writer = lease.mode() == LockMode.EXCLUSIVE;
        (writer ? exclusive : shared).incrementAndGet();
        AtomicInteger kind = writer ? key.writers() : key.readers();
        int present = kind.incrementAndGet();
        if (writer ? present > 1 || key.readers().get() > 0 : key.writers().get() > 0) {
            overlaps.incrementAndGet();
        }
        long until = System.nanoTime() + ThreadLocalRandom.current().nextLong(1_000_000);
        while (System.nanoTime() - until < 0) {
            Thread.onSpinWait();
        }
        kind.decrementAndGet();
    }

    int overlaps() {
        return overlaps.get();
    }

    /** @return how many there were of the rarer mode */
    int grants() {
        return Math.min(exclusive.get(), shared.get());
    }

    @Override
    public String toString() {
        return "%s overlaps in %s exclusive and %s shared grants, %s failures"
                .formatted(overlaps, exclusive, shared, failures);
    }

    /** A key and who holds it. */
    private record Key(String name, AtomicInteger writers, AtomicInteger readers) {
        Key(String name) {
            this(name, new AtomicInteger(), new AtomicInteger());
        }
    }
}
