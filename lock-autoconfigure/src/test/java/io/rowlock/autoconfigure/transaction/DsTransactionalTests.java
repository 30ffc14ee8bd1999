package io.rowlock.autoconfigure.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.baomidou.dynamic.datasource.annotation.DSTransactional;
import com.baomidou.dynamic.datasource.tx.DsPropagation;
import com.baomidou.dynamic.datasource.tx.TransactionContext;
import com.baomidou.dynamic.datasource.tx.TransactionalExecutor;
import com.baomidou.dynamic.datasource.tx.TransactionalInfo;
import com.baomidou.dynamic.datasource.tx.TransactionalTemplate;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.interceptor.EnableDistributedLocks;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.transaction.support.TransactionSynchronization;

/** Transactions of dynamic-datasource, which no lock of ours can refuse their commit. */
class DsTransactionalTests {
    static class OnMethod {
        @DistributedLock("order")
        @DSTransactional
        public void run() {}
    }

    @DSTransactional
    static class OnClass {
        @DistributedLock("order")
        public void run() {}
    }

    @Test
    void lockedMethodIsRefusedAtTheStart() {
        for (Class<?> service : List.of(OnMethod.class, OnClass.class)) {
            new ApplicationContextRunner()
                    .withUserConfiguration(Locks.class)
                    .withBean(service)
                    .run(context -> assertThat(context.getStartupFailure())
                            .rootCause()
                            .hasMessageContaining("@DSTransactional")
                            .hasMessageContaining("use @Transactional"));
        }
    }

    @EnableDistributedLocks
    static class Locks {}

    /** Why: what throws before the commit neither commits nor rolls back, and leaves the transaction to the thread's next one. */
    @Test
    void refusalOfACommitLeavesTheTransactionOpen() {
        TransactionalInfo required = new TransactionalInfo();
        required.setPropagation(DsPropagation.REQUIRED);
        try {
            assertThatIllegalStateException()
                    .isThrownBy(() -> new TransactionalTemplate().execute(new TransactionalExecutor() {
                        @Override
                        public Object execute() {
                            TransactionContext.registerSynchronization(new TransactionSynchronization() {
                                @Override
                                public void beforeCommit(boolean readOnly) {
                                    throw new IllegalStateException("the lock is lost");
                                }
                            });
                            return "done";
                        }

                        @Override
                        public TransactionalInfo getTransactionInfo() {
                            return required;
                        }
                    }))
                    .withMessage("the lock is lost");
            assertThat(TransactionContext.getXID()).isNotNull();
        } finally {
            TransactionContext.remove();
            TransactionContext.removeSynchronizations();
        }
    }
}
