package io.rowlock.autoconfigure.outage;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Takes locks, and keeps what those who asked for them saw: which attempts failed, and how each lock ended. Thread-safe. */
final class Bodies {
    private final LockClient locks;
    private final Queue<Body> all = new ConcurrentLinkedQueue<>();
    private final AtomicInteger busy = new AtomicInteger();
    private final AtomicInteger errors = new AtomicInteger();

    Bodies(LockClient locks) {
        this.locks = locks;
    }

    /** @return empty if it is busy or the database could not be asked; whatever else goes wrong is thrown */
    Optional<Body> take(LockRequest request) {
        try {
            return Optional.of(body(locks.acquire(request), request));
        } catch (LockNotAcquiredException e) {
            busy.incrementAndGet();
            return Optional.empty();
        } catch (LockStoreException e) {
            errors.incrementAndGet();
            return Optional.empty();
        }
    }

    private Body body(HeldLock lock, LockRequest request) {
        Body body = new Body(lock, Objects.requireNonNullElse(request.strategy(), "lease"));
        all.add(body);
        lock.onLost(event -> body.losses.incrementAndGet());
        return body;
    }

    List<Body> all() {
        return List.copyOf(all);
    }

    int busy() {
        return busy.get();
    }

    int errors() {
        return errors.get();
    }

    /** One grant. */
    static final class Body implements AutoCloseable {
        private final HeldLock lock;
        private final String strategy;
        private final AtomicInteger losses = new AtomicInteger();
        private volatile boolean releaseFailed;

        private Body(HeldLock lock, String strategy) {
            this.lock = lock;
            this.strategy = strategy;
        }

        HeldLock lock() {
            return lock;
        }

        TokenAccount.Id id() {
            return new TokenAccount.Id(strategy, lock.key(), lock.fencingToken());
        }

        /** How often it was notified that its lock is lost. */
        int losses() {
            return losses.get();
        }

        boolean releaseFailed() {
            return releaseFailed;
        }

        @Override
        public void close() {
            try {
                lock.close();
            } catch (LockStoreException e) {
                releaseFailed = true;
            }
        }
    }
}
