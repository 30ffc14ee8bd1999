package io.rowlock.client;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** One thread's reliance on the holds of a lock. Thread-safe. */
final class ThreadReliance implements CommitGuard, TransactionSynchronization {
    private final Thread thread = Thread.currentThread();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final ThreadLocks threads;
    private final List<ThreadLock> holds;

    /** The calling thread relies on {@code holds} from now on. */
    ThreadReliance(ThreadLocks threads, List<ThreadLock> holds) {
        this.threads = threads;
        this.holds = holds;
        holds.forEach(threads::reliedOnByCaller);
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        if (TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(this);
        } else {
            end();
        }
    }

    @Override
    public void afterCompletion(int status) {
        end();
    }

    private void end() {
        holds.forEach(hold -> threads.noLongerReliedOn(thread, hold));
    }
}
