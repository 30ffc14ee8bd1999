package io.rowlock.store;

import io.rowlock.LockStoreException;
import io.rowlock.store.inspection.StoreInspection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Acquires, renews and releases leases on a server, "the database" here, one attempt a call, without waiting for a busy key.
 *
 * <p>Expiry is decided by the database's clock. Every call ends within the store's query time-out plus the time to get
 * a connection; a renewal or a release may take that for each of its statements. Any call may fail with {@link LockStoreException}; then nothing was changed, unless it is a
 * {@link UncertainOutcomeException}. Implementations are thread-safe.
 */
public interface LockStore extends AutoCloseable {
    /** @return the name by which {@code rowlock.strategy} chooses this store */
    String strategy();

    /** @return what this store can do */
    StoreCapabilities capabilities();

    /**
     * Returns true if no other owner gets the key of a lease before its ttl is over, unless the lease is released. Asked when a node
     * begins to stand for a role; may ask the server.
     *
     * @return true if so
     */
    default boolean lastsForTtl() {
        return capabilities().lastsForTtl();
    }

    // ---- acquiring

    /**
     * Tries once, without waiting for the key. The token of a lease is above all tokens that the lease before it could have.
     *
     * @param request what to acquire
     * @return the outcome
     * @throws UncertainOutcomeException if the lease may have been acquired though no answer came; see {@link #abandon}
     * @see StoreCapabilities.Handoffs
     */
    Attempt tryAcquire(LeaseRequest request);

    /**
     * Ends whatever an attempt of uncertain outcome may have acquired, and nothing else, whenever and however often it is
     * called. As that attempt may still be on its way and acquire something later, one call is not always enough.
     *
     * @param request the request of that attempt
     * @return whether nothing can come of that attempt any more: its lease was ended, or the store knows that the attempt will
     *     not be carried out
     */
    boolean abandon(LeaseRequest request);

    /**
     * Looks if an exclusive lease that closed its key to newcomers has the key for itself by now. Called only if there is one.
     *
     * @param lease the lease of an {@link Attempt.Draining}
     * @return the outcome
     */
    default Drained drained(Lease lease) {
        throw new UnsupportedOperationException("Its leases close no key");
    }

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
     * expired is never brought back, and one that is only kept for its minimum is not made longer.
     *
     * @param leases at most a thousand of them
     * @param ttl how long they are to last
     * @return the outcome for each
     */
    Map<Lease, Renewal> renew(List<Lease> leases, Duration ttl);

    /**
     * Turns an exclusive lease into a shared one without a gap in which another exclusive one could be acquired. Called only
     * if both modes are supported.
     *
     * <p>If no answer came, calling it again with the same request does it, unless it has been done, and returns which lease
     * there is. An exclusive lease that may have become shared admits others and must not be used as one.
     *
     * @param exclusive the lease to give up
     * @param token the token of its present grant; the fence of the shared lease is no smaller
     * @param shared what to have instead, with the same key
     * @return the outcome
     * @throws UncertainOutcomeException if it may have been done though no answer came
     */
    default Downgrade downgrade(Lease exclusive, long token, LeaseRequest shared) {
        return new Downgrade.Unchanged();
    }

    /**
     * Releases a lease, at once or after a while, without a further call. May be called again, at any time, for a lease of which
     * it is not known whether it was released. A lease that is released after a while does not count as {@linkplain ExpiredLease
     * expired} then, no renewal makes it longer, and a further call that is to keep it changes nothing.
     *
     * @param lease the lease; the process has no use for it any more
     * @param keepFor for how long no other owner gets the key; zero for not at all
     * @return false if it was not this lease any more that held the key
     */
    boolean release(Lease lease, Duration keepFor);

    /**
     * Releases a lease at once.
     *
     * @param lease the lease
     * @return as {@link #release(Lease, Duration)}
     */
    default boolean release(Lease lease) {
        return release(lease, Duration.ZERO);
    }

    // ---- looking

    /**
     * What an operator can see and do.
     *
     * @return it, or empty if the locks of other processes cannot be seen
     */
    default Optional<StoreInspection> inspection() {
        return Optional.empty();
    }

    /**
     * Returns the check before the commit of transactions on a DataSource.
     *
     * @param transactional where the transactions get their connections, or null if that is not known
     * @return the check; empty if these transactions cannot reach the leases, so that only the process's clock can refuse a commit
     */
    default Optional<CommitCheck> commitCheck(@Nullable DataSource transactional) {
        return Optional.empty();
    }

    /** Closes what the store keeps open. Leases it still has end with their ttl at the latest. */
    @Override
    default void close() {}

    /** The outcome of a renewal for one lease. */
    enum Renewal {
        /** The lease lasts for the ttl from when the statement was sent, if the answer arrived while the lease still lasted. */
        RENEWED,

        /** The lease has expired, or was taken over or released; it cannot be renewed any more. */
        LOST,

        /** The lease could not be reached, for example because another transaction has its row locked; try again. */
        UNKNOWN
    }

    /**
     * The result of a look at the shared holders of a closed key.
     *
     * @param complete whether no shared holder is left, so that the exclusive lease is granted
     * @param expired shared leases that had expired and that this look has removed: each is reported once
     */
    record Drained(boolean complete, List<ExpiredLease> expired) {}

    /** The outcome of the change of an exclusive lease to a shared one. */
    sealed interface Downgrade {
        /**
         * It is shared now.
         *
         * @param lease the shared lease; the exclusive one has ended
         */
        record Shared(Lease lease) implements Downgrade {}

        /** The lease stays exclusive: the store cannot make it shared without a gap. */
        record Unchanged() implements Downgrade {}

        /** Both leases are lost. */
        record Lost() implements Downgrade {}
    }

    /**
     * A lease that expired before it was released: its holder died, was cut off, or did not close it.
     *
     * @param lease the lease, with its former owner and token
     * @param held from when it was granted until it expired, by the database's clock
     */
    record ExpiredLease(Lease lease, Duration held) {}
}
