package io.rowlock.interceptor;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.client.RowlockClient;
import io.rowlock.client.request.RequestResolver;
import io.rowlock.client.transaction.PreparedLock;
import io.rowlock.interceptor.FirstLockAdvisor.FirstLock;
import io.rowlock.interceptor.GuardedMethod.Kind;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.function.SingletonSupplier;

/**
 * Runs a method under a lock that is part of its transaction. If the call begins the transaction, the lock is the first thing
 * in it; if the call joins one, the lock is acquired there, before the method's own advice. Thread-safe.
 */
final class TransactionLockAdvice implements AopInfrastructureBean {
    /** The row of a key can be removed between its creation and the lock on it. */
    private static final int MOST_ATTEMPTS = 3;

    /** Resolved once: a bean factory looks through all its definitions each time it is asked, and locks itself meanwhile. */
    private final SingletonSupplier<List<TransactionAttributeSource>> attributes;

    private final SingletonSupplier<Managers> managers;
    private final SingletonSupplier<Boolean> proxied;
    private final SingletonSupplier<Boolean> alone;
    private final SingletonSupplier<Boolean> aloneReactive;

    /** @param beans where the transaction managers are, and what the annotations say of transactions */
    TransactionLockAdvice(ListableBeanFactory beans) {
        this.attributes = SingletonSupplier.of(() ->
                beans.getBeanProvider(TransactionAttributeSource.class).stream().toList());
        this.managers = SingletonSupplier.of(() -> new Managers(beans));
        // What decorates a manager is none itself
        this.alone = SingletonSupplier.of(() -> isOnlyOne(beans, ConfigurableTransactionManager.class));
        this.aloneReactive = SingletonSupplier.of(() -> isOnlyOne(beans, ReactiveTransactionManager.class));
        this.proxied = SingletonSupplier.of(
                () -> beans.getBeanProvider(BeanFactoryTransactionAttributeSourceAdvisor.class).stream()
                        .findAny()
                        .isPresent());
    }

    private static boolean isOnlyOne(ListableBeanFactory beans, Class<?> type) {
        return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type, true, false).length <= 1;
    }

    /**
     * Checks that a method can have such a lock.
     *
     * @param mode where the lock is acquired; if transactions begin in woven methods as well, nothing of ours is inside of them
     * @throws IllegalArgumentException if it cannot
     */
    void check(GuardedMethod guarded, AdviceMode mode) {
        if (guarded.kind() != Kind.TRANSACTION) {
            return;
        }
        Class<?> returned = guarded.method().getReturnType();
        if (CompletionStage.class.isAssignableFrom(returned) || ResultTypes.reactive(returned) != null) {
            throw new IllegalArgumentException(
                    "it returns %s, but its lock ends with the transaction, before that completes"
                            .formatted(returned.getTypeName()));
        }
        TransactionAttribute attribute = attribute(guarded);
        if (attribute == null) {
            return; // it needs one that is open when it is called
        }
        if (mode == AdviceMode.ASPECTJ && !proxied.obtain()) {
            throw new IllegalArgumentException(
                    "its lock is part of its transaction, but that is woven; acquire the lock with LockClient in its body");
        }
        int propagation = attribute.getPropagationBehavior();
        if (propagation == TransactionDefinition.PROPAGATION_NEVER
                || propagation == TransactionDefinition.PROPAGATION_NOT_SUPPORTED) {
            throw new IllegalArgumentException(
                    "it runs without a transaction (propagation NEVER or NOT_SUPPORTED), but its lock is to be part of one");
        }
    }

    private @Nullable TransactionAttribute attribute(GuardedMethod guarded) {
        return attributes.obtain().stream()
                .flatMap(source ->
                        Stream.ofNullable(source.getTransactionAttribute(guarded.method(), guarded.beanClass())))
                .findFirst()
                .orElse(null);
    }

    /**
     * Acquires the lock of a method. If the method runs in a transaction of its own, or in none, one that is open now has nothing to do
     * with the lock: it would keep it until it has completed, long after the method. The body of a woven call runs in the open one if
     * only a proxy would begin another.
     */
    HeldLock acquire(MethodInvocation call, GuardedMethod method, LockClient client, LockRequest request) {
        TransactionAttribute attribute = attribute(method);
        if (attribute != null
                && suspends(attribute)
                && client instanceof RowlockClient rowlock
                && !(WovenLocks.isWoven(call) && proxied.obtain())) {
            TransactionManager manager = managers.obtain().of(method, attribute);
            Object left = manager instanceof ResourceTransactionManager telling ? bound(telling) : null;
            if (manager instanceof ResourceTransactionManager ? left != null : manager != null && alone.obtain()) {
                RequestResolver.refuseReserved(request);
                return rowlock.acquireForOwnTransaction(request, left);
            }
        }
        return client.acquire(request);
    }

    private static boolean suspends(TransactionAttribute attribute) {
        return attribute.getPropagationBehavior() == TransactionDefinition.PROPAGATION_REQUIRES_NEW
                || attribute.getPropagationBehavior() == TransactionDefinition.PROPAGATION_NOT_SUPPORTED;
    }

    /** Returns what the open transaction of a manager has bound to the thread, or null if it has none. */
    private static @Nullable Object bound(ResourceTransactionManager manager) {
        return TransactionSynchronizationManager.getResource(manager.getResourceFactory())
                                instanceof ResourceHolderSupport bound
                        && bound.isSynchronizedWithTransaction()
                ? bound
                : null;
    }

    /** Returns true if the method runs in a reactive transaction of its own, or in none, and the open one is its manager's. */
    boolean leavesReactiveTransaction(GuardedMethod method) {
        TransactionAttribute attribute = attribute(method);
        return attribute != null && suspends(attribute) && aloneReactive.obtain();
    }

    /** Runs the body of {@code call} under the lock. */
    @Nullable
    Object call(ProxyMethodInvocation call, GuardedMethod method, LockClient client, LockRequest request)
            throws Throwable {
        if (!(client instanceof RowlockClient rowlock)) {
            throw new IllegalStateException("Locks of strategy \"transaction\" need a RowlockClient, not a "
                    + client.getClass().getName());
        }
        TransactionAttribute attribute = attribute(method);
        return attribute != null && begins(attribute, rowlock.isTransactionOpen())
                ? first(call, rowlock, request, method)
                : joined(call, rowlock, request, method);
    }

    private static boolean begins(TransactionAttribute attribute, boolean open) {
        return switch (attribute.getPropagationBehavior()) {
            case TransactionDefinition.PROPAGATION_REQUIRES_NEW -> true;
            case TransactionDefinition.PROPAGATION_REQUIRED, TransactionDefinition.PROPAGATION_NESTED -> !open;
            default -> false;
        };
    }

    private static @Nullable Object joined(
            ProxyMethodInvocation call, LockClient client, LockRequest request, GuardedMethod method) throws Throwable {
        try {
            client.acquire(request);
        } catch (LockNotAcquiredException refusal) {
            return method.busyAnswer(call, refusal);
        }
        return completed(method, call.proceed());
    }

    /**
     * Passes a result on; to be asked inside of the transaction, which an exception rolls back.
     *
     * @throws IllegalStateException if its work goes on, of which the declared type, such as {@code Object}, did not tell
     */
    static @Nullable Object completed(GuardedMethod method, @Nullable Object result) {
        if (result instanceof CompletionStage<?> || (result != null && ResultTypes.isUnseen(result.getClass()))) {
            throw new IllegalStateException(
                    "%s returned a %s, but its lock ends with the transaction, before that completes"
                            .formatted(method.shownAs(), result.getClass().getTypeName()));
        }
        return result;
    }

    private static @Nullable Object first(
            ProxyMethodInvocation call, RowlockClient client, LockRequest request, GuardedMethod method)
            throws Throwable {
        for (int attempt = 1; ; attempt++) {
            PreparedLock prepared;
            try {
                prepared = client.prepare(request);
            } catch (LockNotAcquiredException e) {
                return method.busyAnswer(call, e);
            }
            try (prepared) {
                ProxyMethodInvocation copy = (ProxyMethodInvocation) call.invocableClone();
                FirstLock.of(prepared).goWith(copy);
                return copy.proceed();
            } catch (LockNotAcquiredException e) {
                if (prepared.isRefusal(e)) {
                    return method.busyAnswer(call, e);
                }
                throw e;
            } catch (RuntimeException e) {
                if (!prepared.isToBeRepeated(e) || attempt == MOST_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    /** Finds the manager of a transaction as {@code @Transactional} does. */
    private static final class Managers extends TransactionAspectSupport {
        Managers(ListableBeanFactory beans) {
            setBeanFactory(beans);
            setTransactionManager(beans.getBeanProvider(TransactionAspectSupport.class).stream()
                    .flatMap(aspect -> Stream.ofNullable(aspect.getTransactionManager()))
                    .findFirst()
                    .orElseGet(() -> beans.getBeanProvider(PlatformTransactionManager.class)
                            .getIfUnique()));
        }

        /** Returns the manager of a method's transaction, or null if there is none, or several that nothing tells apart. */
        @Nullable
        TransactionManager of(GuardedMethod method, TransactionAttribute attribute) {
            try {
                return determineTransactionManager(attribute, method.beanClass());
            } catch (NoSuchBeanDefinitionException unknown) {
                return null;
            }
        }
    }
}
