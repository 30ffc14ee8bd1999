package io.rowlock;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * A lock that was granted. Closing it releases it, unless it is nested in another grant of the same thread, or a
 * transaction that is open on the closing thread (or was open when the lock was granted) has yet to complete: then the
 * lock is held until that transaction is over.
 *
 * <p>A request for several keys is one {@code HeldLock}: it is held while every part is held, its key is the keys
 * joined by {@code ", "}, and its token is the greatest of theirs; {@link #parts()} has each.
 *
 * <p>Thread-safe. {@link #close()} may be called on any thread, more than once.
 */
public interface HeldLock extends AutoCloseable {
    /** @return the lock key, without {@code rowlock.key-prefix} */
    String key();

    /** @return exclusive or shared, as it was asked for */
    LockMode mode();

    /**
     * The fencing token: greater than that of every exclusive grant of the key before, also of other threads of this process,
     * and not less if this grant is shared; so a resource that remembers the greatest token it saw can refuse a holder whose
     * lock was lost. Nested grants of a thread have one token, and a lock that becomes shared keeps it: readers beside it may have a
     * greater one, so a resource that has seen theirs refuses it. After a forced release, the former holder's process may grant smaller ones
     * until it has noticed; and a server whose clock was set back, or that lost its data, may repeat what it gave before.
     *
     * <p>Data that is to refuse a former holder has the token in a column, which every write compares and stores; a write that
     * changes no row comes from a former holder:
     *
     * <pre>{@code
     * UPDATE account SET balance = ?, token = ? WHERE id = ? AND token <= ?
     * }</pre>
     *
     * @return the token of the grant
     */
    long fencingToken();

    /** @return how long the lock is still held for certain if no renewal succeeds; zero once it is lost or closed */
    Duration remaining();

    /** @return whether the lock is held for certain: granted, not closed, not lost, and not past its local deadline */
    boolean isHeld();

    /**
     * Returns true if the lock was lost before it was released. Known after {@link #close()} too, which may find the loss itself:
     * work that ended under a lost lock may have met another holder's. A nested grant is lost if the outer one is.
     *
     * @return whether it was lost; of several keys, whether any was
     */
    boolean isLost();

    /**
     * Makes sure that the lock is held, and will be for {@code atLeast} even if no renewal succeeds. Asks no database, unless the
     * lock came by a hand-over a moment ago and does not last for its ttl yet, or is one of strategy {@code transaction}.
     *
     * @param atLeast how much time the caller needs
     * @throws LockLostException if the lock is lost or closed, or less time remains
     * @throws LockStoreException if a database that has to be asked could not be
     */
    void ensureHeld(Duration atLeast);

    /**
     * Makes the lock last at least {@code ttl} from now, never shorter than before; renewals go on with that ttl if it is longer than
     * the present one.
     *
     * @param ttl how long it is to last at least
     * @throws LockLostException if the lock is lost or closed
     * @throws LockStoreException if the database could not be asked; the lock is held as long as it was before
     * @throws IllegalArgumentException if the strategy does not take such a ttl
     */
    void extend(Duration ttl);

    /**
     * Makes the lock last for its own ttl from now, as a renewal does.
     *
     * @throws LockLostException if the lock is lost or closed
     * @throws LockStoreException if the database could not be asked; the lock is held as long as it was before
     * @throws UnsupportedOperationException if it is no lock of Rowlock's own
     */
    default void extend() {
        throw new UnsupportedOperationException("extend()");
    }

    /**
     * Keeps the lock held for at least that long from now, though it is closed before. Asks no database.
     *
     * @param minimum how long; never shorter than before
     * @throws LockLostException if the lock is lost or closed
     * @throws IllegalArgumentException if it is negative or more than 365 days
     * @throws UnsupportedOperationException if it is no lock of Rowlock's own
     */
    default void holdAtLeast(Duration minimum) {
        throw new UnsupportedOperationException("holdAtLeast");
    }

    /**
     * Calls {@code action} once if the lock is lost, on a thread for events; at once if it is lost already.
     *
     * @param action what to do; an exception it throws is logged
     */
    void onLost(Consumer<LockEvent> action);

    /** @return this lock, or its parts in the order of their keys if several were asked for */
    default List<HeldLock> parts() {
        return List.of(this);
    }

    /**
     * Releases the lock. Harmless if it was closed before, and quiet if it was lost, which {@link #isLost} says.
     *
     * @throws LockStoreException if the database did not answer; the lock then ends with its ttl at the latest
     */
    @Override
    void close();
}
