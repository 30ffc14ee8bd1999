package io.rowlock.store;

import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

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

    /**
     * Whether leases of this mode can be taken.
     *
     * @param mode exclusive or shared
     * @return true if so
     */
    boolean supports(LockMode mode);

    /** @return the shortest ttl this store takes */
    Duration shortestTtl();

    /**
     * Whether nobody else gets the key of a lease before its ttl is over, unless it is released. Not so if a lease ends with
     * a session, perhaps before its holder hears of it.
     *
     * @return true if so
     */
    default boolean lastsForItsTtl() {
        return true;
    }

    /**
     * How often an exclusive lease may have been handed on from thread to thread of its process by now. The n-th time the next
     * thread gets the token {@code fence + n}, so that many numbers must be free: no other lease of the key that is or was
     * granted exclusively ever has one of them, and each that comes later, of readers too, has a greater one. Called often;
     * asks nobody.
     *
     * @param lease an exclusive lease this process holds
     * @param held how long ago at least the answer came that it was granted
     * @return how often; 0 by default, so that an exclusive lease is given back when its first holder leaves, unless readers
     *     of the process follow
     */
    default long mostHandoffs(Lease lease, Duration held) {
        return 0;
    }

    /**
     * Tries once.
     *
     * @param request what to take
     * @return what it came to
     * @throws UncertainOutcomeException if the lease may have been taken though no answer came; see {@link #abandon}
     */
    Attempt tryAcquire(LeaseRequest request);

    /** @return how many keys one statement of {@link #tryAcquireAny} can ask for; 1 if each takes one of its own */
    default int mostKeysAtOnce() {
        return 1;
    }

    /**
     * Tries once to take one of several keys, and takes no other.
     *
     * @param requests exclusive ones with the same ttl, for different keys, best first; at most {@link #mostKeysAtOnce}
     * @return the first that came to something, or that all are busy
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
     * Lines up with the other processes that wait for a key.
     *
     * @param request what is waited for
     * @return a place in the line, to be closed; empty if there is none to be had, so that the caller asks now and then
     */
    default Optional<QueueTicket> lineUp(LeaseRequest request) {
        return Optional.empty();
    }

    /**
     * Whether others are likely to wait for a key this process has just released, so that it had better
     * {@link #lineUp} before it tries. A guess, made without asking the database.
     *
     * @param key the key as the table has it
     * @return true if so
     */
    default boolean isContended(String key) {
        return false;
    }

    /**
     * Whether another process waits for a key. Asked before a lease that may have been handed on for long enough is given
     * back, so that it is not given back for nobody.
     *
     * @param lease an exclusive lease this process holds
     * @return false only if nobody is in line; true if that cannot be told
     */
    default boolean isWaitedFor(Lease lease) {
        return true;
    }

    /**
     * Whether an exclusive lease that closed its key to newcomers has the key for itself by now.
     *
     * @param lease the lease of an {@link Attempt.Draining}
     * @return true if no shared holder is left
     */
    boolean drained(Lease lease);

    /**
     * As {@link #drained(Lease)}, and tells of shared leases that were in the way though they had run out, and that this call
     * has removed: each once. A store that does not know of them need not override this.
     *
     * @param lease the lease of an {@link Attempt.Draining}
     * @param found called for each, on the calling thread
     * @return true if no shared holder is left
     */
    default boolean drained(Lease lease, Consumer<ExpiredLease> found) {
        return drained(lease);
    }

    /**
     * Renews leases, each to last for {@code ttl} from now, or longer if it did, if it still lasts now. A lease that has
     * run out is never brought back.
     *
     * @param leases at most a thousand of them
     * @param ttl how long they are to last
     * @return what it came to, for each
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
     * @param change numbers the calls for this lease, also of {@link #releaseAfter}: positive, and greater each time
     * @return what it came to
     */
    Renewal resetTtl(Lease lease, Duration ttl, long change);

    /**
     * Gives a lease back. May be called again, at any time, for a lease of which it is not known whether it was given back.
     *
     * @param lease the lease
     * @return false if it was not this lease any more that held the key
     */
    boolean release(Lease lease);

    /**
     * Gives a lease back after that long, without a further call. When it has run out nobody is told that it
     * {@linkplain ExpiredLease expired}. May be called again, as {@link #release} may.
     *
     * @param lease the lease; the process has no use for it any more
     * @param rest how long nobody else is to have it
     * @param change as in {@link #resetTtl}
     * @return what it came to
     */
    default Renewal releaseAfter(Lease lease, Duration rest, long change) {
        return resetTtl(lease, rest, change);
    }

    /**
     * The process has no use for a lease any more: it was released, or lost. What is kept for it can go, without asking
     * the database on the calling thread. Throws nothing.
     *
     * @param lease the lease
     */
    default void forget(Lease lease) {}

    /**
     * Turns an exclusive lease into a shared one without a gap in which another exclusive one could be taken. Called only
     * if both modes are supported.
     *
     * <p>If no answer came, calling it again with the same request does it, unless it has been done, and tells which lease
     * there is. An exclusive lease that may have become shared admits others and must not be used as one.
     *
     * @param exclusive the lease to give up
     * @param token the token of its present grant, which keeps it
     * @param shared what to have instead, with the same key
     * @return the shared lease, with that token as its fence; the exclusive one itself, unchanged, if this store cannot do it without
     *     a gap; or empty if both are lost
     * @throws UncertainOutcomeException if it may have been done though no answer came
     */
    Optional<Lease> downgrade(Lease exclusive, long token, LeaseRequest shared);

    /**
     * Takes back whatever an attempt of uncertain outcome may have taken, and nothing else, whenever and however often it is
     * called. As that attempt may still be on its way and take something later, one call is not always enough.
     *
     * @param request the request of that attempt
     * @return whether nothing can come of that attempt any more: its lease was ended, or the store knows that it will not be
     *     carried out
     */
    boolean abandon(LeaseRequest request);

    /**
     * Who holds a key now, seen without locking anything.
     *
     * @param key the key as the table has it
     * @param mode the mode one would like to take it in
     * @return a holder that stands in the way, if there is one
     */
    Optional<Holder> holder(String key, LockMode mode);

    /**
     * What an operator can see and do.
     *
     * @return it, or empty if the locks of other processes cannot be seen
     */
    default Optional<StoreInspection> inspection() {
        return Optional.empty();
    }

    /** Lets go of what the store keeps open. Leases it still has end with their ttl at the latest. */
    @Override
    default void close() {}
}
