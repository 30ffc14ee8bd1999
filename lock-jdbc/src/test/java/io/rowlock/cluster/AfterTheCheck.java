package io.rowlock.cluster;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/** Does something between the check of a transaction's locks and its commit. */
record AfterTheCheck(Runnable action) implements TransactionExecutionListener {
    @Override
    public void beforeCommit(TransactionExecution transaction) {
        action.run();
    }
}
