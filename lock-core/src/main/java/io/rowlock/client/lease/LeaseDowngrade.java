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
 * Has the store turn an exclusive lease into a shared one. Without an answer it asks again, with the same request, until it
 * knows which of the two exists: an exclusive lease that may have become shared must not be handed on.
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
     * Sends the call.
     *
     * @return as {@link LockStore#downgrade}
     * @throws UncertainOutcomeException if it is not known which of the two leases exists, if any
     * @throws LockStoreException if the exclusive lease is unchanged
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
     * Asks again for half of the time the lease lasts, since the rest is needed if the lease can be kept. The rows may still be
     * locked by the first call.
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
