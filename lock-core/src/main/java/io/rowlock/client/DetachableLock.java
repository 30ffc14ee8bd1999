package io.rowlock.client;

import io.rowlock.HeldLock;

/** A lock that can outlive the call of the thread that took it, for results that complete later on another thread. */
public interface DetachableLock extends HeldLock {
    /**
     * Takes the lock from the calling thread: from now on it is held by whoever closes it. The thread is not its owner
     * any more, so it can neither enter it again nor have its commits guarded by it. A transaction that is open on the thread
     * is the exception: it keeps the lock until it has completed, and its commit is refused if the lock is lost by then.
     *
     * <p>A grant that is nested in another one of the same thread keeps the lease with the outer grant as well: it is
     * released when both are closed.
     */
    void detach();

    /**
     * The calling thread relies on the lock, whoever holds it: until the reliance is closed, its commits are refused once
     * the lock is lost or released. Keeps the lock from nobody, so that it can be released at once.
     *
     * @return the reliance, to be closed on the calling thread
     */
    CommitGuard rely();
}
