package io.rowlock.store;

import io.rowlock.LockStoreException;
import io.rowlock.store.inspection.StoreInspection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A strategy: takes, renews and releases leases in a database, one attempt a call, without waiting for a busy key.
 *
 * <p>Expiry is decided by the database's clock. Every call ends within the store's query time-out plus the time to get
 * a connection. Any call may fail with {@link LockStoreException}; then nothing was changed, unless it is a
 * {@link UncertainOutcomeException}. Implementations are thread-safe.
 */
public interface LockStore extends AutoCloseable {
    /** @return the name by which {@code rowlock.strategy} chooses this store */
    String strategy();

    /** @return what this store can do */
    StoreCapabilities capabilities();

    // ---- taking

    /**
     * Tries once.
     *
     * @param request what to take
     * @return the outcome
     * @throws UncertainOutcomeException if the lease may have been taken though no answer came; see {@link #abandon}
     */
    Attempt tryAcquire(LeaseRequest request);

    /**
     * Tries once to take one of several keys, and takes no other.
     *
     * @param requests exclusive ones with the same ttl, for different keys, best first; at most
     *     {@link StoreCapabilities#keysAtOnce}
     * @return the outcome for the first key that was not busy, or that all are busy
     * @throws UncertainOutcomeException if one of the leases may have been taken though no answer came
     */
    default Attempt tryAcquireAny(List<LeaseRequest> requests) {
        Attempt attempt = new Attempt.Busy(Optional.empty());
        for (LeaseRequest request : requests) {
            attempt = tryAcquire(request);
            if (!(attempt instanceof Attempt.Busy)) {
                return attempt;
            }
        }
        return attempt;
    }

    /**
     * Ends whatever an attempt of uncertain outcome may have taken, and nothing else, whenever and however often it is
     * called. As that attempt may still be on its way and take something later, one call is not always enough.
     *
     * @param request the request of that attempt
     * @return whether nothing can come of that attempt any more: its lease was ended, or the store knows that the attempt will
     *     not be carried out
     */
    boolean abandon(LeaseRequest request);

    /**
     * Whether an exclusive lease that closed its key to newcomers has the key for itself by now.
     *
     * @param lease the lease of an {@link Attempt.Draining}
     * @return the outcome
     */
    Drained drained(Lease lease);

    /**
     * The queue of the processes that wait.
     *
     * @return it; {@link WaitQueue#POLLING} if there is none
     */
    default WaitQueue queue() {
        return WaitQueue.POLLING;
    }

    // ---- the life of a lease

    /**
     * Renews leases, each to last for {@code ttl} from now, or longer if it did, if it still lasts now. A lease that has
     * run out is never brought back.
     *
     * @param leases at most a thousand of them
     * @param ttl how long they are to last
     * @return the outcome for each
     */
    Map<Lease, Renewal> renew(List<Lease> leases, Duration ttl);

    /**
     * Has a lease that still lasts end after {@code ttl} from now, be that later or earlier than before.
     *
     * <p>A call of which no answer came may still be carried out, and make the lease shorter, until a later call for the
     * same lease has been answered. From then on it changes nothing any more.
     *
     * @param lease the lease
     * @param ttl how long it is to last
     * @param change numbers the calls for this lease, also of {@link #release(Lease, Duration, long)}: positive, and greater
     *     each time
     * @return the outcome
     */
    Renewal extend(Lease lease, Duration ttl, long change);

    /**
     * Turns an exclusive lease into a shared one without a gap in which another exclusive one could be taken. Called only
     * if both modes are supported.
     *
     * <p>If no answer came, calling it again with the same request does it, unless it has been done, and returns which lease
     * there is. An exclusive lease that may have become shared admits others and must not be used as one.
     *
     * @param exclusive the lease to give up
     * @param token the token of its present grant, which the shared lease keeps as its fence
     * @param shared what to have instead, with the same key
     * @return the outcome
     * @throws UncertainOutcomeException if it may have been done though no answer came
     */
    Downgrade downgrade(Lease exclusive, long token, LeaseRequest shared);

    /**
     * Releases a lease. May be called again, at any time, for a lease of which it is not known whether it was released.
     *
     * @param lease the lease
     * @return false if it was not this lease any more that held the key
     */
    boolean release(Lease lease);

    /**
     * Releases a lease after a while, without a further call. When it runs out it does not count as
     * {@linkplain ExpiredLease expired}. May be called again, as {@link #release(Lease)} may.
     *
     * @param lease the lease; the process has no use for it any more
     * @param keepFor for how long no other owner gets the key
     * @param change as in {@link #extend}
     * @return the outcome; {@link Renewal#RENEWED} if the lease is kept for that long
     */
    Renewal release(Lease lease, Duration keepFor, long change);

    // ---- looking

    /**
     * What an operator can see and do.
     *
     * @return it, or empty if the locks of other processes cannot be seen
     */
    default Optional<StoreInspection> inspection() {
        return Optional.empty();
    }

    /** Closes what the store keeps open. Leases it still has end with their ttl at the latest. */
    @Override
    default void close() {}
}
