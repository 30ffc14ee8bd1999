package io.rowlock.client.transaction;

import io.rowlock.client.Fences;
import io.rowlock.client.RowlockClient;
import io.rowlock.store.CommitCheck;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Binds something to the thread for a transaction, as managers of databases do. */
public final class BoundTransactions extends AbstractPlatformTransactionManager implements ResourceTransactionManager {
    private static final long serialVersionUID = 1L;

    private final transient Object key;

    public BoundTransactions() {
        this.key = this;
    }

    /** @param dataSource under which it binds what stands for a connection */
    public BoundTransactions(DataSource dataSource) {
        this.key = dataSource;
    }

    /** Lets the locks of a client guard its transactions. */
    public BoundTransactions guardedBy(RowlockClient client, Map<String, CommitCheck> checks) {
        return guardedBy(client, checks, key);
    }

    /** @param resource what the guard knows of where it binds them */
    public BoundTransactions guardedBy(
            RowlockClient client, Map<String, CommitCheck> checks, @Nullable Object resource) {
        DataSource dataSource = key instanceof DataSource own ? own : null;
        addListener(Fences.of(client, checks, true, resource, dataSource));
        return this;
    }

    /** Stands for a connection. */
    public static final class Bound extends ResourceHolderSupport {
        private Bound() {}

        /** Returns one without a transaction, as an open session in view. */
        public static Bound idle() {
            return new Bound();
        }

        /** Returns one that is bound for a transaction. */
        public static Bound ofTransaction() {
            Bound bound = new Bound();
            bound.setSynchronizedWithTransaction(true);
            return bound;
        }
    }

    @Override
    public Object getResourceFactory() {
        return key;
    }

    @Override
    protected Object doGetTransaction() {
        return new Object();
    }

    @Override
    protected boolean isExistingTransaction(Object transaction) {
        return TransactionSynchronizationManager.getResource(key) instanceof Bound bound
                && bound.isSynchronizedWithTransaction();
    }

    @Override
    protected void doBegin(Object transaction, TransactionDefinition definition) {
        Object unused = TransactionSynchronizationManager.unbindResourceIfPossible(key);
        TransactionSynchronizationManager.bindResource(key, Bound.ofTransaction());
    }

    @Override
    protected Object doSuspend(Object transaction) {
        return TransactionSynchronizationManager.unbindResource(key);
    }

    @Override
    protected void doResume(Object transaction, Object suspended) {
        TransactionSynchronizationManager.bindResource(key, suspended);
    }

    @Override
    protected void doCommit(DefaultTransactionStatus status) {}

    @Override
    protected void doRollback(DefaultTransactionStatus status) {}

    @Override
    protected void doSetRollbackOnly(DefaultTransactionStatus status) {}

    @Override
    protected void doCleanupAfterCompletion(Object transaction) {
        Object unused = TransactionSynchronizationManager.unbindResource(key);
    }
}
