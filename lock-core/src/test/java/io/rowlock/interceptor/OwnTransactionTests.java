package io.rowlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.annotation.DistributedLock;
import io.rowlock.client.RowlockClient;
import io.rowlock.client.transaction.BoundTransactions;
import io.rowlock.client.transaction.ScriptedTransactionLocks;
import io.rowlock.store.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.TransactionManagementConfigurer;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Locks of methods that run in a transaction of their own, where applications have several transaction managers. */
class OwnTransactionTests {
    private final BoundTransactions orders = new BoundTransactions();
    private final BoundTransactions audit = new BoundTransactions();
    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

    @AfterEach
    void close() {
        context.close();
    }

    private void start(Class<?>... components) {
        context.registerBean(
                RowlockClient.class,
                () -> RowlockClient.builder(new InMemoryLockStore())
                        .transactionLocks(new ScriptedTransactionLocks())
                        .build());
        context.registerBean("orders", BoundTransactions.class, () -> orders);
        context.registerBean("audit", BoundTransactions.class, () -> audit);
        context.register(Application.class);
        context.register(components);
        context.refresh();
    }

    @Test
    void lockIsReleasedAfterTheTransactionThatTheManagerBeginsInsideItsOpenOne() {
        start(Audit.class);
        new TransactionTemplate(audit).executeWithoutResult(status -> {
            context.getBean(Audit.class).note();
            assertThat(isLocked()).isFalse();
            context.getBean(Audit.class).noteWithoutTransaction();
            assertThat(isLocked()).isFalse();
        });
    }

    @Test
    void lockIsKeptByTheOpenTransactionOfAnotherManager() {
        start(Audit.class);
        for (Runnable call : new Runnable[] {
            () -> context.getBean(Audit.class).note(),
            () -> context.getBean(Audit.class).noteWithoutTransaction()
        }) {
            new TransactionTemplate(orders).executeWithoutResult(status -> {
                call.run();
                assertThat(isLocked()).isTrue();
            });
            assertThat(isLocked()).isFalse();
        }
    }

    /** As an EntityManager of a web request. */
    @Test
    void resourceThatIsBoundWithoutATransactionIsNoTransaction() {
        start(Audit.class);
        TransactionSynchronizationManager.bindResource(audit, BoundTransactions.Bound.idle());
        try {
            new TransactionTemplate(orders).executeWithoutResult(status -> {
                context.getBean(Audit.class).note();
                assertThat(isLocked()).isTrue();
            });
        } finally {
            Object unused = TransactionSynchronizationManager.unbindResourceIfPossible(audit);
        }
    }

    private boolean isLocked() {
        return context.getBean(RowlockClient.class).isLocked("audit");
    }

    @Test
    void managerThatTheApplicationNamesIsThatOfMethodsThatNameNone() {
        start(Unnamed.class, Named.class);
        new TransactionTemplate(orders).executeWithoutResult(status -> {
            context.getBean(Unnamed.class).note();
            assertThat(isLocked()).isFalse();
        });
        new TransactionTemplate(audit).executeWithoutResult(status -> {
            context.getBean(Unnamed.class).note();
            assertThat(isLocked()).isTrue();
        });
    }

    static class Unnamed {
        @DistributedLock("audit")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void note() {}
    }

    static class Audit {
        @DistributedLock("audit")
        @Transactional(transactionManager = "audit", propagation = Propagation.REQUIRES_NEW)
        public void note() {}

        @DistributedLock("audit")
        @Transactional(transactionManager = "audit", propagation = Propagation.NOT_SUPPORTED)
        public void noteWithoutTransaction() {}
    }

    @Configuration(proxyBeanMethods = false)
    @Import(LockInterceptorConfiguration.class)
    @EnableTransactionManagement
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    static class Named {
        @Bean
        TransactionManagementConfigurer named(BoundTransactions orders) {
            return () -> orders;
        }
    }
}
