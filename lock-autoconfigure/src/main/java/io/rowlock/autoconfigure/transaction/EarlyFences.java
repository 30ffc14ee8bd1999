package io.rowlock.autoconfigure.transaction;

import io.rowlock.autoconfigure.database.TransactionalDataSource;
import io.rowlock.client.TransactionFence;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.SingletonBeanRegistry;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Guards each transaction manager from the moment it is made: beans begin transactions under locks before all singletons are there, as
 * those do that load data once in the cluster.
 *
 * @param clients the beans of this context that are its client; none if a context above it has that
 * @param beans where they are
 * @param fences make the fence of a manager
 */
record EarlyFences(List<String> clients, SingletonBeanRegistry beans, ObjectProvider<TransactionFences> fences)
        implements BeanPostProcessor {
    private static final Logger log = LoggerFactory.getLogger(EarlyFences.class);

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof PlatformTransactionManager manager) {
            guardable(manager).ifPresent(guardable -> guard(beanName, guardable));
        } else if (bean instanceof ReactiveTransactionManager) {
            log.warn(
                    "Transactions of {} are not guarded, because they are reactive: annotated methods with reactive results are refused in them, and other locks may be released before they commit",
                    beanName);
        }
        return bean;
    }

    /** Returns the manager itself, or the one that it decorates; empty if neither can be guarded. */
    static Optional<ConfigurableTransactionManager> guardable(PlatformTransactionManager manager) {
        return manager instanceof ConfigurableTransactionManager configurable
                ? Optional.of(configurable)
                : TransactionalDataSource.inside(
                        manager, PlatformTransactionManager.class, ConfigurableTransactionManager.class);
    }

    private void guard(String name, ConfigurableTransactionManager manager) {
        List<TransactionExecutionListener> listeners = new ArrayList<>(manager.getTransactionExecutionListeners());
        if (listeners.stream().noneMatch(each -> each instanceof Early || each instanceof TransactionFence)) {
            listeners.add(0, new Early(name, manager));
            manager.setTransactionExecutionListeners(listeners);
        }
    }

    /** Takes from a manager's listeners what stands for its fence. @return the fence, or empty if there is none yet */
    static Optional<TransactionFence> takenFrom(List<TransactionExecutionListener> listeners) {
        Optional<TransactionExecutionListener> early =
                listeners.stream().filter(Early.class::isInstance).findFirst();
        early.ifPresent(listeners::remove);
        return early.flatMap(each -> ((Early) each).fence());
    }

    /** Makes no bean before the client: what that needs may begin transactions, and without it no lock is held. */
    private boolean haveClient() {
        return clients.stream().allMatch(beans::containsSingleton);
    }

    /** Stands for the fence of a manager until the start has ended. */
    final class Early implements TransactionExecutionListener {
        private final String name;
        private final ConfigurableTransactionManager manager;
        private final AtomicReference<@Nullable TransactionFence> made = new AtomicReference<>();

        private Early(String name, ConfigurableTransactionManager manager) {
            this.name = name;
            this.manager = manager;
        }

        /** Returns the fence, always the same, or empty as long as there is no client. */
        Optional<TransactionFence> fence() {
            if (made.get() == null && haveClient()) {
                made.compareAndSet(null, fences.getObject().fence(name, manager));
            }
            return made();
        }

        private Optional<TransactionFence> made() {
            return Optional.ofNullable(made.get());
        }

        /** Makes the fence: if that failed after the begin, Spring would leave the connection bound to the thread. */
        @Override
        public void beforeBegin(TransactionExecution transaction) {
            fence();
        }

        @Override
        public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
            made().ifPresent(fence -> fence.afterBegin(transaction, beginFailure));
        }

        /** The client may have been made in the transaction. */
        @Override
        public void beforeCommit(TransactionExecution transaction) {
            fence().ifPresent(fence -> fence.beforeCommit(transaction));
        }

        @Override
        public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
            made().ifPresent(fence -> fence.afterCommit(transaction, commitFailure));
        }

        @Override
        public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
            made().ifPresent(fence -> fence.afterRollback(transaction, rollbackFailure));
        }
    }
}
