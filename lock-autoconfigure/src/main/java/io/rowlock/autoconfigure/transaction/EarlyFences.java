package io.rowlock.autoconfigure.transaction;

import io.rowlock.autoconfigure.database.TransactionalDataSource;
import io.rowlock.client.TransactionFence;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.SingletonBeanRegistry;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.ReactiveTransactionManager;
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
        first(
                manager,
                any -> true,
                // No bean before the client: what that needs may begin transactions, and without it no lock is held
                () -> TransactionFence.later(() -> clients.stream().allMatch(beans::containsSingleton)
                        ? fences.getObject().fence(name, manager)
                        : null));
    }

    /**
     * Makes a fence the first of all listeners: if one fails with a TransactionException, what puts the connection back in order may commit.
     *
     * @param present tells the fence of those that the manager may have
     * @param missing makes it if there is none
     */
    static void first(
            ConfigurableTransactionManager manager,
            Predicate<TransactionFence> present,
            Supplier<TransactionFence> missing) {
        List<TransactionExecutionListener> listeners = new ArrayList<>(manager.getTransactionExecutionListeners());
        TransactionExecutionListener fence = listeners.stream()
                .filter(each -> each instanceof TransactionFence one && present.test(one))
                .findFirst()
                .orElseGet(missing);
        listeners.remove(fence);
        listeners.add(0, fence);
        manager.setTransactionExecutionListeners(listeners);
    }
}
