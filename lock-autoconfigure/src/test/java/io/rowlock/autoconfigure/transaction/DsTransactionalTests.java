package io.rowlock.autoconfigure.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.baomidou.dynamic.datasource.annotation.DSTransactional;
import com.baomidou.dynamic.datasource.tx.DsPropagation;
import com.baomidou.dynamic.datasource.tx.LocalTxUtil;
import com.baomidou.dynamic.datasource.tx.TransactionContext;
import com.baomidou.dynamic.datasource.tx.TransactionalExecutor;
import com.baomidou.dynamic.datasource.tx.TransactionalInfo;
import com.baomidou.dynamic.datasource.tx.TransactionalTemplate;
import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.interceptor.LockInterceptorConfiguration;
import io.rowlock.test.OnServer;
import java.util.List;
import java.util.concurrent.locks.Lock;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;

/** Transactions of dynamic-datasource, whose commit no lock of ours can refuse. */
@OnServer
class DsTransactionalTests {
    @RegisterExtension
    private static final FreshSchema schema = new FreshSchema();

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

    @Import(LockInterceptorConfiguration.class)
    static class Locks {}

    static class Guarded {
        @DistributedLock("order")
        public void run() {}

        @DistributedLock("order")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void runInItsOwnTransaction() {}
    }

    /** A lock would be released, or lost, before the commit, which no check can refuse. */
    @Test
    void lockIsRefusedWhileOneIsOpen() throws Exception {
        try (ConfigurableApplicationContext node = new TestApplication(schema, Guarded.class).start()) {
            LockClient locks = node.getBean(LockClient.class);
            Guarded guarded = node.getBean(Guarded.class);
            LockRequest request = LockRequest.exclusive("order");
            Lock view = locks.lock(request);
            for (ThrowingCallable lock : List.<ThrowingCallable>of(
                    () -> locks.acquire(request),
                    () -> locks.tryAcquire(request),
                    () -> locks.tryAcquireAny(List.of(request)),
                    view::lock,
                    guarded::run,
                    guarded::runInItsOwnTransaction)) {
                String open = LocalTxUtil.startTransaction();
                try {
                    assertThatIllegalStateException()
                            .isThrownBy(lock)
                            .withMessageContaining("@DSTransactional")
                            .withMessageContaining("use @Transactional")
                            .withMessageContaining("before");
                } finally {
                    LocalTxUtil.rollback(open);
                }
            }
            assertThat(locks.isLocked("order")).isFalse();
            guarded.run();
            locks.acquire(request).close();
        }
    }

    @Test
    void lockIsAcquiredIfTheThreadHasItOrOneIsSuspendedOrCommitsAreNotFenced() throws Exception {
        try (ConfigurableApplicationContext node = new TestApplication(schema).start();
                HeldLock around = node.getBean(LockClient.class).acquire(LockRequest.exclusive("outer"))) {
            String open = LocalTxUtil.startTransaction();
            try {
                node.getBean(LockClient.class)
                        .acquire(LockRequest.exclusive("outer"))
                        .close();
                assertThat(around.isHeld()).isTrue();
                TransactionContext.unbind(open);
                node.getBean(LockClient.class)
                        .acquire(LockRequest.exclusive("order"))
                        .close();
                TransactionContext.bind(open);
            } finally {
                LocalTxUtil.rollback(open);
            }
        }
        TestApplication unfenced = new TestApplication(schema).with("rowlock.fencing.transactional", "false");
        try (ConfigurableApplicationContext node = unfenced.start()) {
            String open = LocalTxUtil.startTransaction();
            try {
                node.getBean(LockClient.class)
                        .acquire(LockRequest.exclusive("order"))
                        .close();
            } finally {
                LocalTxUtil.rollback(open);
            }
        }
    }

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
