package io.rowlock.client.transaction;

import java.util.List;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** Transactions of nothing, which can be inside one another. */
public final class LoggedTransactions extends AbstractPlatformTransactionManager {
    private static final long serialVersionUID = 1L;

    private static final Object NONE = new Object();

    private final transient List<String> log;
    private final transient ThreadLocal<Object> current = ThreadLocal.withInitial(() -> NONE);

    public LoggedTransactions(List<String> log) {
        this.log = log;
    }

    @Override
    protected Object doGetTransaction() {
        return current.get();
    }

    @Override
    protected boolean isExistingTransaction(Object transaction) {
        return transaction != NONE;
    }

    @Override
    protected void doBegin(Object transaction, TransactionDefinition definition) {
        log.add("begin");
        current.set(new Object());
    }

    @Override
    protected Object doSuspend(Object transaction) {
        Object suspended = current.get();
        current.set(NONE);
        return suspended;
    }

    @Override
    protected void doResume(Object transaction, Object suspended) {
        current.set(suspended);
    }

    @Override
    protected void doCommit(DefaultTransactionStatus status) {
        log.add("commit");
    }

    @Override
    protected void doRollback(DefaultTransactionStatus status) {
        log.add("rollback");
    }

    @Override
    protected void doSetRollbackOnly(DefaultTransactionStatus status) {
        log.add("rollback only");
    }

    @Override
    protected void doCleanupAfterCompletion(Object transaction) {
        current.set(NONE);
    }
}
