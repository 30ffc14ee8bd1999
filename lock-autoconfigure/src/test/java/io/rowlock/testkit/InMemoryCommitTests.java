package io.rowlock.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.test.LockControl;
import io.rowlock.test.RowlockTest;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** Commits under locks in memory, by a transaction manager of whatever resource. */
@RowlockTest
@SpringBootTest(
        classes = Orders.Application.class,
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = "spring.autoconfigure.exclude="
                + "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
@Import(InMemoryCommitTests.Resource.class)
class InMemoryCommitTests {
    @Autowired
    LockClient locks;

    @Autowired
    LockControl control;

    @Autowired
    CountingTransactionManager transactions;

    static final class Resource {
        @Bean
        CountingTransactionManager transactionManager() {
            return new CountingTransactionManager();
        }
    }

    static final class CountingTransactionManager extends AbstractPlatformTransactionManager {
        private static final long serialVersionUID = 1;
        private final AtomicInteger commits = new AtomicInteger();

        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            commits.incrementAndGet();
        }

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }

    /** As in a test whose transaction is rolled back at its end. */
    @Test
    void otherNodeLetsGoInsideATransactionOfTheTest() {
        LockRequest request = LockRequest.exclusive("theirs").withWaitTime(Duration.ZERO);
        new TransactionTemplate(transactions).executeWithoutResult(status -> {
            control.occupy("theirs").close();
            control.occupyShared("theirs").close();
            control.occupy(request).close();
            assertThat(locks.acquire(request).isHeld()).isTrue();
            status.setRollbackOnly();
        });
    }

    @Test
    void commitUnderAnExpiredLockIsRefused() {
        TransactionTemplate transaction = new TransactionTemplate(transactions);
        for (String strategy : new String[] {"lease", "unique-key"}) {
            LockRequest request = LockRequest.exclusive("k").withStrategy(strategy);
            try (HeldLock live = locks.acquire(request)) {
                transaction.executeWithoutResult(
                        status -> assertThat(live.isHeld()).isTrue());
            }
            int before = transactions.commits.get();
            try (HeldLock lock = locks.acquire(request.withRenewal(false))) {
                control.expire("k");
                assertThat(lock.isHeld()).isTrue();
                assertThatExceptionOfType(LockLostException.class)
                        .isThrownBy(() -> transaction.executeWithoutResult(status -> {}));
            }
            assertThat(transactions.commits).hasValue(before);
        }
    }
}
