package io.rowlock.client.lease;

import io.rowlock.LockStoreException;
import io.rowlock.store.Downgrade;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.UncertainOutcomeException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Has the database make an exclusive lease a shared one. If no answer comes it asks again, by the same request, until it knows
 * which of the two there is: an exclusive lease that may have become shared is no lease to hand on.
 */
final class LeaseDowngrade {
    private static final Duration LONGEST = Duration.ofSeconds(10);
    private static final long PAUSE = Duration.ofMillis(100).toNanos();

    private final LockStore store;
    private final Lease exclusive;
    private final long token;
    private final LeaseRequest shared;
    private final Supplier<Duration> remaining;

    /**
     * @param token the token of the present grant
     * @param remaining how long the exclusive lease lasts, by this process's clock
     */
    LeaseDowngrade(LockStore store, Lease exclusive, long token, LeaseRequest shared, Supplier<Duration> remaining) {
        this.store = store;
        this.exclusive = exclusive;
        this.token = token;
        this.shared = shared;
        this.remaining = remaining;
    }

    /**
     * Does it.
     *
     * @return as {@link LockStore#downgrade}
     * @throws UncertainOutcomeException if it is not known which of the two leases there is, if any
     * @throws LockStoreException if the exclusive one is what it was
     */
    Downgrade run() {
        boolean interrupted = Thread.interrupted(); // here it would only make the pool or the driver give up
        try {
            return store.downgrade(exclusive, token, shared);
        } catch (UncertainOutcomeException e) {
            return askAgain(e);
        } catch (LockStoreException e) {
            throw e;
        } catch (RuntimeException e) {
            return askAgain(new UncertainOutcomeException("It is not known what became of the downgrade", e));
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * For half of the time the lease lasts for, since the rest is needed if it turns out that it can be kept. What the first one
     * did may still be locked by it.
     */
    private Downgrade askAgain(UncertainOutcomeException unknown) {
        Duration half = remaining.get().dividedBy(2);
        Duration end = remaining.get().minus(half.compareTo(LONGEST) < 0 ? half : LONGEST);
        while (remaining.get().compareTo(end) > 0) {
            try {
                return store.downgrade(exclusive, token, shared);
            } catch (RuntimeException e) {
                if (unknown.getSuppressed().length == 0) {
                    unknown.addSuppressed(e);
                }
                LockSupport.parkNanos(PAUSE);
            }
        }
        throw unknown;
    }
}
