package io.rowlock.client;

import io.rowlock.Printable;
import io.rowlock.client.lock.ThreadLock;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The locks one open transaction keeps until it has completed: released before the commit, a lock would let the next
 * holder read what the commit is about to change. Used by the transaction's thread only.
 */
final class TransactionBoundLocks implements TransactionSynchronization {
    private static final Logger log = LoggerFactory.getLogger(TransactionBoundLocks.class);

    private final Set<ThreadLock> locks = new LinkedHashSet<>();

    /** If a transaction is open on the calling thread, it keeps {@code lock} until it has completed. */
    static void keep(ThreadLock lock) {
        if (isTransactionOpen()
                && present().orElseGet(TransactionBoundLocks::register).locks.add(lock)) {
            lock.keptByTransaction();
        }
    }

    private static boolean isTransactionOpen() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive();
    }

    private static Optional<TransactionBoundLocks> present() {
        return TransactionSynchronizationManager.getSynchronizations().stream()
                .filter(TransactionBoundLocks.class::isInstance)
                .map(TransactionBoundLocks.class::cast)
                .findFirst();
    }

    private static TransactionBoundLocks register() {
        TransactionBoundLocks synchronization = new TransactionBoundLocks();
        TransactionSynchronizationManager.registerSynchronization(synchronization);
        return synchronization;
    }

    @Override
    public void afterCompletion(int status) {
        for (ThreadLock lock : locks) {
            try {
                if (status == STATUS_COMMITTED) {
                    lock.committed();
                }
                lock.transactionCompleted();
            } catch (RuntimeException e) {
                log.warn(
                        "The lock \"{}\" was not released after its transaction; that is tried again until its ttl is over: {}",
                        Printable.of(lock.id().key()),
                        e.getMessage(),
                        e);
            }
        }
    }
}
