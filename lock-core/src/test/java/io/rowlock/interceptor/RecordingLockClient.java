package io.rowlock.interceptor;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockEvent;
import io.rowlock.LockHolder;
import io.rowlock.LockMode;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.LockedCall;
import io.rowlock.client.lock.DetachableLock;
import io.rowlock.client.lock.DetachableLock.CommitGuard;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Grants what it is asked for, unless a test says otherwise, and records what happened. */
final class RecordingLockClient implements LockClient {
    final List<String> log = new CopyOnWriteArrayList<>();
    final List<LockRequest> requests = new CopyOnWriteArrayList<>();
    volatile @Nullable Function<LockRequest, RuntimeException> refusal;
    volatile @Nullable RuntimeException closeFailure;
    volatile @Nullable Error closeError;
    volatile Runnable detaching = () -> {};
    volatile boolean lost;
    volatile @Nullable CountDownLatch grantAfter;
    volatile @Nullable Thread acquiringThread;
    volatile @Nullable Thread closingThread;

    void beBusy() {
        refusal = request -> new LockNotAcquiredException(request.keys().get(0), Duration.ZERO, "other#1");
    }

    @Override
    public HeldLock acquire(LockRequest request) {
        requests.add(request);
        acquiringThread = Thread.currentThread();
        if (refusal != null) {
            throw refusal.apply(request);
        }
        if (grantAfter != null) {
            awaitGrant(grantAfter);
        }
        log.add("lock " + String.join(",", request.keys()));
        return new Held(request);
    }

    // deaf to interrupts: the client that is asked too late to stop
    private static void awaitGrant(CountDownLatch latch) {
        boolean interrupted = false;
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public Optional<HeldLock> tryAcquire(LockRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<HeldLock> tryAcquireAny(List<LockRequest> requests) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T execute(LockRequest request, LockedCall<T, E> body) {
        throw new UnsupportedOperationException();
    }

    private final class Held implements DetachableLock {
        private final LockRequest request;

        Held(LockRequest request) {
            this.request = request;
        }

        @Override
        public CommitGuard rely() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void detach() {
            log.add("detach");
            detaching.run();
        }

        @Override
        public void leaveToTtl() {
            log.add("leave to ttl");
        }

        @Override
        public void close() {
            closingThread = Thread.currentThread();
            log.add("release");
            if (closeError != null) {
                throw closeError;
            }
            if (closeFailure != null) {
                throw closeFailure;
            }
        }

        @Override
        public String key() {
            return String.join(", ", request.keys());
        }

        @Override
        public LockMode mode() {
            return request.mode();
        }

        @Override
        public long fencingToken() {
            return 1;
        }

        @Override
        public Duration remaining() {
            return Duration.ofSeconds(1);
        }

        @Override
        public boolean isHeld() {
            return true;
        }

        @Override
        public boolean isLost() {
            return lost;
        }

        @Override
        public void ensureHeld(Duration atLeast) {}

        @Override
        public void extend(Duration ttl) {
            log.add("extend " + ttl);
        }

        @Override
        public void onLost(Consumer<LockEvent> action) {}
    }

    @Override
    public Optional<LockHolder> holder(String key) {
        throw new UnsupportedOperationException(key);
    }

    @Override
    public boolean isHeldByCurrentThread(String key) {
        return false;
    }

    @Override
    public Lock lock(LockRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ReadWriteLock readWriteLock(String key) {
        throw new UnsupportedOperationException(key);
    }
}
