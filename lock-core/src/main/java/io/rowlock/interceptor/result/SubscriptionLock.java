package io.rowlock.interceptor.result;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.client.DetachableLock;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The lock of one subscription. A cancellation may come while the lock is still being acquired on another thread: then
 * the later of the two, the acquiring or the releasing thread, closes it. Thread-safe.
 */
final class SubscriptionLock {
    private final LockClient client;
    private final LockRequest request;

    // both guarded by this
    private @Nullable HeldLock held;
    private boolean over;

    private volatile @Nullable LockNotAcquiredException refusal;

    SubscriptionLock(LockClient client, LockRequest request) {
        this.client = client;
        this.request = request;
    }

    /** Whether the lock was granted; if not, {@link #refusal()} says why. */
    boolean acquire() {
        try {
            keep(client.acquire(request));
            return true;
        } catch (LockNotAcquiredException busy) {
            // kept, not thrown: the interrupt that a cancellation brings would end up in the log as a dropped error
            refusal = busy;
            return false;
        }
    }

    private void keep(HeldLock lock) {
        if (lock instanceof DetachableLock detachable) {
            detachable.detach();
        }
        if (!isKept(lock)) {
            LockRelease.afterReturn(lock);
        }
    }

    private synchronized boolean isKept(HeldLock lock) {
        if (!over) {
            held = lock;
        }
        return !over;
    }

    LockNotAcquiredException refusal() {
        return Objects.requireNonNull(refusal);
    }

    void releaseAfterReturn() {
        end(lock -> LockRelease.afterCompletion(lock, null));
    }

    void releaseAfterThrow(Throwable thrown) {
        end(lock -> LockRelease.afterThrow(lock, thrown));
    }

    private void end(Consumer<HeldLock> release) {
        HeldLock lock;
        synchronized (this) {
            over = true;
            lock = held;
            held = null;
        }
        if (lock != null) {
            release.accept(lock);
        }
    }
}
