package io.rowlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.annotation.DistributedLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

class TransactionOrderTests {
    @Test
    void transactionCommitsBeforeTheLockIsReleased() {
        try (GuardedContext context = new GuardedContext(Transactions.class, Account.class)) {
            context.bean(Account.class).pay(context.client);
            assertThat(context.client.log).containsExactly("lock account", "begin", "body", "commit", "release");
        }
    }

    @Test
    void transactionRollsBackBeforeTheLockIsReleased() {
        try (GuardedContext context = new GuardedContext(Transactions.class, Account.class)) {
            assertThatThrownBy(() -> context.bean(Account.class).fail()).hasMessage("body");
            assertThat(context.client.log).containsExactly("lock account", "begin", "rollback", "release");
        }
    }

    @Test
    void transactionThatWouldBeginBeforeTheLockIsRefused() {
        assertThatThrownBy(() -> new GuardedContext(Transactions.class, Account.class, Inside.class).close())
                .hasStackTraceContaining("begins the transaction before the lock is acquired");
        try (GuardedContext context = new GuardedContext(Transactions.class, Unlocked.class, Inside.class)) {
            context.bean(Unlocked.class).pay();
            assertThat(context.client.log).containsExactly("begin", "commit");
        }
    }

    /** As Quartz makes its jobs, and as factories that do not tell what they make. */
    @Test
    void transactionThatWouldBeginBeforeTheLockIsRefusedInBeansThatComeLater() {
        try (GuardedContext context = new GuardedContext(Transactions.class, Inside.class, Hidden.class)) {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> context.beans().createBean(Account.class))
                        .hasStackTraceContaining("begins the transaction before the lock is acquired");
                assertThatThrownBy(() -> context.beans().getBean("hidden"))
                        .hasStackTraceContaining("begins the transaction before the lock is acquired");
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Hidden {
        @Bean
        FactoryBean<?> hidden() {
            return new FactoryBean<Object>() {
                @Override
                public Object getObject() {
                    return new Account();
                }

                @Override
                public @Nullable Class<?> getObjectType() {
                    return null;
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = 100)
    static class Inside {}

    static class Unlocked {
        @Transactional
        public void pay() {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Transactions {
        @Bean
        PlatformTransactionManager transactionManager(RecordingLockClient client) {
            return new RecordingTransactionManager(client);
        }
    }

    static class Account {
        @DistributedLock("account")
        @Transactional
        public void pay(RecordingLockClient client) {
            client.log.add("body");
        }

        @DistributedLock("account")
        @Transactional
        public void fail() {
            throw new IllegalStateException("body");
        }
    }

    static class RecordingTransactionManager extends AbstractPlatformTransactionManager {
        private static final long serialVersionUID = 1L;
        private final transient RecordingLockClient client;

        RecordingTransactionManager(RecordingLockClient client) {
            this.client = client;
        }

        @Override
        protected Object doGetTransaction() {
            return "transaction";
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
            client.log.add("begin");
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            client.log.add("commit");
        }

        @Override
        protected void doRollback(DefaultTransactionStatus status) {
            client.log.add("rollback");
        }
    }
}
