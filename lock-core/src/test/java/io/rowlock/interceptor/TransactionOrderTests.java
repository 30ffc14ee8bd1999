package io.rowlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.annotation.DistributedLock;
import org.junit.jupiter.api.Test;
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
    void orderCanBeChanged() {
        try (GuardedContext context = new GuardedContext(Transactions.class, Account.class, Inside.class)) {
            context.bean(Account.class).pay(context.client);
            assertThat(context.client.log).containsExactly("begin", "lock account", "body", "release", "commit");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = 100)
    static class Inside {}

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
