package io.rowlock.interceptor.result;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockLostException;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.OnLost;
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
            new LockRelease(lock, OnLost.NOTIFY).close();
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

    /** @throws LockLostException if the lock was lost and that ends the subscription */
    void releaseAfterReturn() {
        end(release -> {
            release.close();
            release.onLost().afterReturn(release.lock());
        });
    }

    void releaseAfterCancellation() {
        end(LockRelease::close);
    }

    void releaseAfterThrow(Throwable thrown) {
        end(release -> release.afterThrow(thrown));
    }

    private void end(Consumer<LockRelease> release) {
        HeldLock lock;
        synchronized (this) {
            over = true;
            lock = held;
            held = null;
        }
        if (lock != null) {
            release.accept(new LockRelease(lock, request.onLost()));
        }
    }
}
