package io.rowlock.client;

import io.rowlock.Printable;
import java.util.LinkedHashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The holds one open transaction keeps until it has completed: released before the commit, a lock would let the next
 * holder read what the commit is about to change. Used by the transaction's thread only.
 */
final class TransactionHolds implements TransactionSynchronization {
    private static final Logger log = LoggerFactory.getLogger(TransactionHolds.class);

    private final Set<Hold> holds = new LinkedHashSet<>();

    /** If a transaction is open on the calling thread, it keeps {@code hold} until it has completed. */
    static void keep(Hold hold) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()
                || !TransactionSynchronizationManager.isSynchronizationActive()) {
            return;
        }
        TransactionHolds present = TransactionSynchronizationManager.getSynchronizations().stream()
                .filter(TransactionHolds.class::isInstance)
                .map(TransactionHolds.class::cast)
                .findFirst()
                .orElseGet(TransactionHolds::register);
        if (present.holds.add(hold)) {
            hold.keptByTransaction();
        }
    }

    private static TransactionHolds register() {
        TransactionHolds synchronization = new TransactionHolds();
        TransactionSynchronizationManager.registerSynchronization(synchronization);
        return synchronization;
    }

    @Override
    public void afterCompletion(int status) {
        for (Hold hold : holds) {
            try {
                if (status == STATUS_COMMITTED) {
                    hold.committed();
                }
                hold.transactionCompleted();
            } catch (RuntimeException e) {
                log.warn(
                        "The lock \"{}\" was not released after its transaction and ends with its ttl: {}",
                        Printable.of(hold.id().key()),
                        e.getMessage(),
                        e);
            }
        }
    }
}
