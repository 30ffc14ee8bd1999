package io.rowlock.client.lock;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Ties the commits of one thread to a lock, whichever thread holds it: until the guard is closed, commits of the thread are
 * refused once that lock is lost or released. Thread-safe.
 */
public final class CommitGuard implements AutoCloseable {
    private final Thread thread = Thread.currentThread();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final ThreadLocks threadLocks;
    private final List<ThreadLock> guarding;

    /** Makes the calling thread rely on locks of one client. */
    static CommitGuard rely(List<ThreadLock> locks) {
        return new CommitGuard(locks.get(0).threadLocks(), locks);
    }

    /** The calling thread relies on {@code guarding} from now on. */
    private CommitGuard(ThreadLocks threadLocks, List<ThreadLock> guarding) {
        this.threadLocks = threadLocks;
        this.guarding = guarding;
        guarding.forEach(threadLocks::reliedOnByCaller);
    }

    /**
     * Ends it, on the thread that began it. With an open transaction on that thread it ends when the transaction has
     * completed. Harmless if it has ended before.
     */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        if (TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int status) {
                    end();
                }
            });
        } else {
            end();
        }
    }

    private void end() {
        guarding.forEach(lock -> threadLocks.noLongerReliedOn(thread, lock));
    }
}
