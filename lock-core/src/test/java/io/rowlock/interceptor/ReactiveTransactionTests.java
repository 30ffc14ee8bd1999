package io.rowlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rowlock.annotation.DistributedLock;
import io.rowlock.client.transaction.BoundTransactions;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import reactor.core.publisher.Mono;

/** Locks of methods with reactive results, and reactive transactions. */
class ReactiveTransactionTests {
    private final GuardedContext context = new GuardedContext(Application.class, Jobs.class);
    private final RecordingLockClient client = context.client;
    private final Jobs jobs = context.bean(Jobs.class);
    private final TransactionalOperator outside = TransactionalOperator.create(context.bean(Transactions.class));

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    void lockIsReleasedAfterTheTransactionOfTheMethod() {
        assertThat(jobs.transactional(client).block()).isEqualTo("v");
        assertThat(client.log).containsExactly("lock a", "detach", "begin", "body", "commit", "release");
    }

    @Test
    void lockIsRefusedInAnOpenTransaction() {
        for (Mono<String> call : List.of(jobs.plain(client), jobs.transactional(client))) {
            client.log.clear();
            assertThatIllegalStateException()
                    .isThrownBy(() -> outside.transactional(call).block())
                    .withMessageContaining("a reactive transaction that is open already")
                    .withMessageContaining("REQUIRES_NEW");
            assertThat(client.log).containsExactly("begin", "rollback");
        }
    }

    @Test
    void transactionOfItsOwnNeedsNoRefusal() {
        outside.transactional(jobs.requiresNew(client)).block();
        assertThat(client.log)
                .containsExactly("begin", "lock a", "detach", "begin", "body", "commit", "release", "commit");
        client.log.clear();
        outside.transactional(jobs.notSupported(client)).block();
        assertThat(client.log).containsExactly("begin", "lock a", "detach", "body", "release", "commit");
    }

    static class Jobs {
        @DistributedLock("a")
        public Mono<String> plain(RecordingLockClient client) {
            return body(client);
        }

        @DistributedLock("a")
        @Transactional
        public Mono<String> transactional(RecordingLockClient client) {
            return body(client);
        }

        @DistributedLock("a")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public Mono<String> requiresNew(RecordingLockClient client) {
            return body(client);
        }

        @DistributedLock("a")
        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        public Mono<String> notSupported(RecordingLockClient client) {
            return body(client);
        }

        private static Mono<String> body(RecordingLockClient client) {
            return Mono.fromSupplier(() -> {
                client.log.add("body");
                return "v";
            });
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Application {
        @Bean
        @Primary
        Transactions transactions(RecordingLockClient client) {
            return new Transactions(client);
        }

        /** As the one of the DataSource that keeps the locks. */
        @Bean
        BoundTransactions ofAnotherKind() {
            return new BoundTransactions();
        }
    }

    /** As one of R2DBC. */
    private static final class Transactions extends AbstractReactiveTransactionManager {
        private static final long serialVersionUID = 1L;

        private final transient RecordingLockClient client;

        Transactions(RecordingLockClient client) {
            this.client = client;
        }

        private record Open(boolean existing) {}

        @Override
        protected Object doGetTransaction(TransactionSynchronizationManager manager) {
            return new Open(manager.hasResource(this));
        }

        @Override
        protected boolean isExistingTransaction(Object transaction) {
            return ((Open) transaction).existing();
        }

        @Override
        protected Mono<Void> doBegin(
                TransactionSynchronizationManager manager, Object transaction, TransactionDefinition definition) {
            return Mono.fromRunnable(() -> {
                client.log.add("begin");
                manager.bindResource(this, transaction);
            });
        }

        @Override
        protected Mono<Object> doSuspend(TransactionSynchronizationManager manager, Object transaction) {
            return Mono.fromSupplier(() -> manager.unbindResource(this));
        }

        @Override
        protected Mono<Void> doResume(TransactionSynchronizationManager manager, Object transaction, Object suspended) {
            return Mono.fromRunnable(() -> manager.bindResource(this, suspended));
        }

        @Override
        protected Mono<Void> doCommit(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
            return Mono.fromRunnable(() -> client.log.add("commit"));
        }

        @Override
        protected Mono<Void> doRollback(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
            return Mono.fromRunnable(() -> client.log.add("rollback"));
        }

        @Override
        protected Mono<Void> doCleanupAfterCompletion(TransactionSynchronizationManager manager, Object transaction) {
            return Mono.fromRunnable(() -> manager.unbindResourceIfPossible(this));
        }
    }
}
