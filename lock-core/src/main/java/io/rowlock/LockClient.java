package io.rowlock;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * Acquires locks. Thread-safe; one for an application.
 *
 * <p>A lock belongs to the thread that acquired it: the same thread may acquire the same key again, in the same or a weaker
 * mode, without touching the database, and must close each grant. With an open transaction on the thread the lock is
 * held until that transaction has completed, even if it is closed before.
 *
 * <p>A nested grant takes the lease as it is. If its request names a longer ttl, the lease is extended to it, which asks the
 * database; it is never made shorter. If its request asks for renewal and the lease is not renewed, it is refused with an
 * {@link IllegalStateException}. A lock that is lost, as one that is not renewed and has expired, has to be closed before the same
 * thread can acquire the key again: {@link LockLostException}.
 *
 * <p>An interrupt while waiting ends the wait: {@link LockInterruptedException}, the flag set again, no lock left
 * behind.
 */
public interface LockClient {
    /**
     * Acquires the lock, waiting for it if necessary.
     *
     * @param request what to lock; without a wait time the client waits for its default
     * @return the lock, to be closed
     * @throws LockNotAcquiredException if another owner held it until the wait time was over
     * @throws LockInterruptedException if the thread was interrupted
     * @throws LockStoreException if the database could not be asked
     * @throws LockLostException if the thread holds the lock already, and has lost it, or if the transaction that is open on the
     *     thread finds that the lock was overtaken at once
     * @throws IllegalStateException if the thread holds the lock only shared and asks for it exclusive, or holds it without
     *     renewal and asks for it with renewal
     * @throws IllegalArgumentException if the strategy is unknown or does not take such a request
     */
    HeldLock acquire(LockRequest request);

    /**
     * Acquires the lock if it is free, or becomes free within the request's wait time (none if unset).
     *
     * @param request what to lock
     * @return the lock, to be closed, or empty if another owner holds it
     * @throws LockInterruptedException if the thread was interrupted
     * @throws LockStoreException if the database could not be asked
     * @throws IllegalArgumentException if the strategy is unknown or does not take such a request
     */
    Optional<HeldLock> tryAcquire(LockRequest request);

    /**
     * Acquires the first lock out of several that is free, so that nodes can share out work: each claims what no other
     * has. Each request is tried once, in the given order, until one is granted; wait times are ignored. What the calling thread holds
     * already is not free.
     *
     * @param requests what would do, best first
     * @return the lock, to be closed, or empty if all are held
     * @throws LockStoreException if the database could not be asked
     * @throws IllegalArgumentException if a strategy is unknown or does not take such a request
     */
    Optional<HeldLock> tryAcquireAny(List<LockRequest> requests);

    /**
     * Acquires the lock as {@link #acquire} does, runs {@code body} and releases the lock. If the body throws, a failing
     * release is added to its exception as suppressed; if it returns, a failing release is logged, and the lock ends
     * with its ttl. With {@link OnLost#THROW} it throws {@link LockLostException} if the lock was lost before its release.
     * A future, stream or publisher that the body returns does its work without the lock: wait for it in the body.
     *
     * @param request what to lock
     * @param body what to run
     * @param <T> what the body returns
     * @param <E> what the body throws
     * @return the body's result
     * @throws E as the body does
     */
    <T extends @Nullable Object, E extends Exception> T execute(LockRequest request, LockedCall<T, E> body) throws E;

    /**
     * As {@link #execute(LockRequest, LockedCall)}, for a body without a result.
     *
     * @param request what to lock
     * @param body what to run
     * @param <E> what the body throws
     * @throws E as the body does
     */
    default <E extends Exception> void execute(LockRequest request, LockedAction<E> body) throws E {
        execute(request, () -> {
            body.run();
            return Boolean.TRUE;
        });
    }

    /**
     * Returns true if a key is held at the moment, by any process, in any mode and strategy. For people and logs: another owner may acquire
     * or release it before the answer arrives, so code that needs the lock acquires it. Asks the database.
     *
     * @param key the key
     * @return whether {@link #holder} finds a holder
     * @throws LockStoreException if the database could not be asked
     */
    default boolean isLocked(String key) {
        return holder(key).isPresent();
    }

    /**
     * The holder of a key at the moment, of any process, mode and strategy; one of several readers. Row locks of other nodes are
     * found on MySQL only, and only if the database user may read {@code data_locks} and {@code threads} of
     * {@code performance_schema}. Asks the database, and locks nothing.
     *
     * @param key the key
     * @return the holder, or empty if there is none
     * @throws LockStoreException if the database could not be asked
     */
    Optional<LockHolder> holder(String key);

    /**
     * Returns true if the calling thread holds a key for certain, in any mode: it acquired the key and has not released it, and the lock is
     * not lost. A lock that an open transaction keeps counts. One of strategy {@code transaction} does not: it ends with the server's
     * transaction, so that {@link HeldLock#ensureHeld} has to ask. Asks no database.
     *
     * @param key the key
     * @return whether it does
     */
    boolean isHeldByCurrentThread(String key);

    /**
     * Returns true if the calling thread has acquired a key of a request, with its strategy and in any mode, and has not released it, though
     * the lock may be lost by now. A lock that an open transaction keeps counts, a permit never: the next one is another. Asks no database.
     *
     * @param request what to look for
     * @return whether it has; here, as far as {@link #isHeldByCurrentThread} tells
     */
    default boolean isAcquiredByCurrentThread(LockRequest request) {
        return request.mode() != LockMode.PERMIT && request.keys().stream().anyMatch(this::isHeldByCurrentThread);
    }

    /**
     * The lock of a request as a {@link Lock}, with its mode, ttl, strategy, minimum and name. The wait time is the caller's, as
     * {@link #readWriteLock} has it: {@code lock()} waits without end, {@code tryLock()} tries once.
     *
     * @param request what to lock; of several keys, all are locked or none
     * @return a view of the lock; views of equal requests are equal, and what one has locked, each view of the same keys, mode and strategy
     *     can unlock
     * @throws IllegalArgumentException if the strategy is unknown or does not take such a request
     */
    Lock lock(LockRequest request);

    /**
     * The exclusive lock of a key as a {@link Lock}: the write lock of {@link #readWriteLock}. See there.
     *
     * @param key the key; non-empty and at most 255 bytes of UTF-8
     * @return a view of the lock; every view of a key is the same lock
     * @throws IllegalArgumentException if the key is empty or too long
     */
    default Lock lock(String key) {
        return readWriteLock(key).writeLock();
    }

    /**
     * The locks of a key as {@link ReadWriteLock}, with the client's defaults for everything but the wait time.
     *
     * <p>Reentrant, and owned by the thread: unlocking what the thread does not hold is an
     * {@link IllegalMonitorStateException}. {@code lock()} waits without end and is not interruptible; {@code tryLock()}
     * tries once. A thread that holds the write lock may acquire the read lock and release the write lock, and then holds
     * the read lock without a gap. Of the write lock, while the thread holds only the read lock, {@code tryLock} returns
     * false at once, and {@code lock()} and {@code lockInterruptibly()} fail with {@link IllegalStateException}. There are no
     * conditions. An open transaction keeps an unlocked lock until it has completed.
     *
     * <p>Only the thread that locked can unlock. If it ends without that, the lock is not renewed any more and ends with its
     * ttl.
     *
     * <p>Every method that acquires a lock may throw {@link LockStoreException}. {@code unlock()} throws
     * {@link LockLostException} if the lock had been lost before, which the release itself may find; it is unlocked all the
     * same.
     *
     * @param key the key; non-empty and at most 255 bytes of UTF-8
     * @return a view of the locks; every view of a key is the same pair of locks
     * @throws IllegalArgumentException if the key is empty or too long
     */
    ReadWriteLock readWriteLock(String key);
}
