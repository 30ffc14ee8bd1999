package io.rowlock.client;

import io.rowlock.LockStoreException;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.UncertainOutcomeException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Has the database make an exclusive lease a shared one. If no answer comes it asks again, by the same request, until it knows
 * which of the two there is: an exclusive lease that may have become shared is no lease to hand on.
 */
final class Downgrade {
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
    Downgrade(LockStore store, Lease exclusive, long token, LeaseRequest shared, Supplier<Duration> remaining) {
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
    Optional<Lease> run() {
        try {
            return store.downgrade(exclusive, token, shared);
        } catch (UncertainOutcomeException e) {
            return askAgain(e);
        }
    }

    /** For half of the time the lease lasts for, since the rest is needed if it turns out that it can be kept. */
    private Optional<Lease> askAgain(UncertainOutcomeException unknown) {
        Duration half = remaining.get().dividedBy(2);
        Duration enough = half.compareTo(LONGEST) < 0 ? half : LONGEST;
        Duration end = remaining.get().minus(enough);
        Optional<Lease> answer = null;
        while (answer == null && remaining.get().compareTo(end) > 0) {
            answer = answer(unknown);
        }
        if (answer == null) {
            throw unknown;
        }
        return answer;
    }

    /** The first one's rows may still be locked by it. */
    private @Nullable Optional<Lease> answer(UncertainOutcomeException unknown) {
        try {
            return store.downgrade(exclusive, token, shared);
        } catch (LockStoreException e) {
            if (unknown.getSuppressed().length == 0) {
                unknown.addSuppressed(e);
            }
            LockSupport.parkNanos(PAUSE);
            return null;
        }
    }
}
