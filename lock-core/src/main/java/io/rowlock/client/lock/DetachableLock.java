package io.rowlock.client.lock;

import io.rowlock.HeldLock;
import java.util.List;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A lock that can outlive the call of the thread that acquired it, for results that complete later on another thread. */
public interface DetachableLock extends HeldLock {
    /**
     * Detaches the lock from the calling thread: from now on it has no owning thread, and any thread may close it. The calling
     * thread can neither enter it again nor have its commits guarded by it. A transaction that is open on the thread
     * is the exception: it keeps the lock until it has completed, and its commit is refused if the lock is lost by then.
     *
     * <p>A lock that is nested in another one of the same thread keeps the lease together with the outer one: it is
     * released when both are closed. The outer one stays the thread's: it guards the thread's commits, and can be entered again.
     */
    void detach();

    /**
     * Leaves the lock to its ttl, because nobody sees when the work under it ends: it is neither released nor renewed for this
     * handle any more, and is lost when its ttl is over. Other grants of the same lease keep it renewed until they are closed.
     * Call {@link #detach} first. {@link #close()} still releases it at once.
     */
    void leaveToTtl();

    /**
     * The calling thread relies on the lock, whichever thread holds it: until the guard is closed, commits of the calling thread
     * are refused once the lock is lost or released. The guard does not keep the lock, so it can be released at once.
     *
     * @return the guard, to be closed on the calling thread
     * @throws io.rowlock.LockLostException if a transaction that is open on the calling thread finds that the lock was overtaken
     * @throws io.rowlock.LockStoreException if that transaction could not check it
     */
    CommitGuard rely();

    /**
     * Ties the commits of one thread to a lock, whichever thread holds it: until the guard is closed, commits of the thread are
     * refused once that lock is lost or released. Thread-safe.
     */
    final class CommitGuard implements AutoCloseable {
        final Thread thread = Thread.currentThread();
        final List<ThreadLock> guarding;

        /** Makes the calling thread rely on locks of one client from now on. */
        CommitGuard(List<ThreadLock> guarding) {
            this.guarding = guarding;
            guarding.get(0).process.threadLocks.add(this);
        }

        /**
         * Ends it, on the thread that began it. With an open transaction on that thread it ends when the transaction has
         * completed. Harmless if it has ended before.
         */
        @Override
        public void close() {
            afterTransaction(() -> guarding.get(0).process.threadLocks.remove(this));
        }

        /** Does something when the transaction that is open on the calling thread has completed, or now if there is none. */
        public static void afterTransaction(Runnable action) {
            if (TransactionSynchronizationManager.isActualTransactionActive()
                    && TransactionSynchronizationManager.isSynchronizationActive()) {
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCompletion(int status) {
                        action.run();
                    }
                });
            } else {
                action.run();
            }
        }
    }
}
