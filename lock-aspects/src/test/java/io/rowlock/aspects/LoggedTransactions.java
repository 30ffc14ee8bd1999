package io.rowlock.aspects;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** Logs each change of a transaction, and what a test asks meanwhile. */
final class LoggedTransactions extends AbstractPlatformTransactionManager {
    private static final long serialVersionUID = 1L;

    final transient List<String> log = new CopyOnWriteArrayList<>();
    transient Supplier<Object> onChange = () -> "";

    private void note(String change) {
        log.add(change + " " + onChange.get());
    }

    @Override
    protected Object doGetTransaction() {
        return "transaction";
    }

    @Override
    protected void doBegin(Object transaction, TransactionDefinition definition) {
        note("begin");
    }

    @Override
    protected void doCommit(DefaultTransactionStatus status) {
        note("commit");
    }

    @Override
    protected void doRollback(DefaultTransactionStatus status) {
        note("rollback");
    }
}
