package io.rowlock.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.Mockito.mock;

import io.rowlock.FencingTokens;
import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.client.RowlockClient;
import io.rowlock.test.LockControl;
import io.rowlock.test.RowlockTest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Commits under locks in memory, by managers on the DataSource that would keep the locks, on another one, and on none. */
@RowlockTest
@SpringBootTest(
        classes = Orders.Application.class,
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = "spring.autoconfigure.exclude="
                + "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration,"
                + "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
                + "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration,"
                + "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration")
@Import(InMemoryCommitTests.Resource.class)
class InMemoryCommitTests {
    @Autowired
    LockClient locks;

    @Autowired
    RowlockClient client;

    @Autowired
    FencingTokens tokens;

    @Autowired
    LockControl control;

    @Autowired
    CountingTransactionManager transactions;

    @Autowired
    List<CountingTransactionManager> others;

    static final class Resource {
        @Bean
        @Primary
        DataSource ordersDatabase() {
            return mock(DataSource.class);
        }

        @Bean
        DataSource reportsDatabase() {
            return mock(DataSource.class);
        }

        @Bean
        @Primary
        CountingTransactionManager transactionManager(DataSource database) {
            return new CountingTransactionManager(database);
        }

        @Bean
        CountingTransactionManager reporting(@Qualifier("reportsDatabase") DataSource database) {
            return new CountingTransactionManager(database);
        }

        @Bean
        CountingTransactionManager messaging() {
            return new CountingTransactionManager("a broker");
        }
    }

    static final class CountingTransactionManager extends AbstractPlatformTransactionManager
            implements ResourceTransactionManager {
        private static final long serialVersionUID = 1;
        private final AtomicInteger commits = new AtomicInteger();
        private final transient Object resource;

        CountingTransactionManager(Object resource) {
            this.resource = resource;
        }

        @Override
        public Object getResourceFactory() {
            return resource;
        }

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
            try (HeldLock lock = locks.acquire(request)) {
                assertThat(lock.isHeld()).isTrue();
            }
            status.setRollbackOnly();
        });
    }

    /** As on a database, which cannot check them. */
    @Test
    void commitElsewhereIsNotChecked() {
        assertThat(others).hasSize(3);
        for (CountingTransactionManager other : others.subList(1, 3)) {
            try (HeldLock lock = locks.acquire(LockRequest.exclusive("k").withRenewal(false))) {
                control.expire("k");
                new TransactionTemplate(other).executeWithoutResult(status -> {});
                assertThat(lock.isHeld()).isTrue();
            }
            assertThat(other.commits).hasValue(1);
        }
    }

    @Test
    void strategiesTakeNoMoreThanTheirStores() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> locks.acquire(LockRequest.shared("k").withStrategy("unique-key")))
                .withMessageContaining("no shared locks");
        for (String strategy : List.of("lease", "unique-key", "row-lock")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> locks.acquire(
                            LockRequest.exclusive("k").withStrategy(strategy).withTtl(Duration.ofMillis(999))))
                    .withMessageContaining("1s");
        }
        locks.acquire(LockRequest.exclusive("k").withStrategy("redis").withTtl(Duration.ofMillis(100)))
                .close();
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> client.validateLasting(LockRequest.exclusive("k").withStrategy("row-lock")));
    }

    @Test
    void receiverOfTokensIsThere() {
        assertThat(tokens).isNotNull();
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
