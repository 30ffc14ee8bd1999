package io.rowlock.interceptor;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockLostException;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
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

    // guarded by this
    private @Nullable HeldLock held;
    private boolean working;
    private boolean over;

    private volatile @Nullable LockNotAcquiredException refusal;

    SubscriptionLock(LockClient client, LockRequest request) {
        this.client = client;
        this.request = request;
    }

    /** Returns true if the lock was granted; if not, {@link #refusal()} says why. */
    boolean acquire() {
        try {
            HeldLock lock = client.acquire(request);
            Release.detach(lock);
            if (!isKept(lock)) {
                Release.close(lock);
            }
            return true;
        } catch (LockNotAcquiredException busy) {
            // kept, not thrown: the interrupt that a cancellation brings would end up in the log as a dropped error
            refusal = busy;
            return false;
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

    /** Notes that the body begins. @return false if it must not: the subscription is over */
    synchronized boolean begin() {
        working = !over;
        return working;
    }

    /** @throws LockLostException if the lock was lost and that ends the subscription */
    void releaseAfterReturn() {
        end(lock -> {
            Release.close(lock);
            request.onLost().afterReturn(lock);
        });
    }

    /** Leaves a lock whose body has begun to its ttl: a cancellation does not tell when the work ends. */
    void releaseAfterCancellation() {
        end(lock -> {
            if (isWorking()) {
                Release.letExpire(lock, request);
            } else {
                Release.close(lock);
            }
        });
    }

    private synchronized boolean isWorking() {
        return working;
    }

    void releaseAfterThrow(Throwable thrown) {
        end(lock -> Release.afterCompletion(lock, request, thrown));
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
