package io.rowlock.interceptor;

import static org.springframework.transaction.support.TransactionSynchronizationManager.isActualTransactionActive;

import io.rowlock.HeldLock;
import io.rowlock.client.transaction.PreparedLock;
import io.rowlock.interceptor.GuardedMethod.Kind;
import io.rowlock.interceptor.LockInterceptorConfiguration.Guards;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.Ordered;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.interceptor.TransactionAspectSupport;

/**
 * Acquires the lock of a method whose lock is part of its transaction: as the innermost advice, before all else in the transaction. Tells
 * woven methods what a proxy guards.
 */
final class FirstLockAdvisor extends DefaultPointcutAdvisor {
    private static final long serialVersionUID = 1L;
    private static final String NAME = "rowlockFirstLockAdvisor";

    FirstLockAdvisor(Guards rowlockGuards) {
        super(GuardedMethods.proxied(rowlockGuards, FirstLockAdvisor::isInside), (MethodInterceptor)
                call -> acquireFirst(rowlockGuards.methods(), call));
        setOrder(Ordered.LOWEST_PRECEDENCE);
    }

    private static @Nullable Object acquireFirst(GuardedMethods methods, MethodInvocation invocation) throws Throwable {
        GuardedMethod lock = methods.of(invocation).lock();
        FirstLock first = invocation instanceof ProxyMethodInvocation call ? FirstLock.of(call) : null;
        if (first != null) {
            first.acquire();
        }
        Object result = WovenLocks.ASPECT_PRESENT ? WovenLocks.proceedGuarded(invocation) : invocation.proceed();
        return lock != null && lock.kind() == Kind.TRANSACTION ? TransactionLockAdvice.completed(lock, result) : result;
    }

    private static boolean isInside(ProxiedMethod method) {
        GuardedMethod lock = method.lock();
        return WovenLocks.ASPECT_PRESENT || (lock != null && lock.kind() == Kind.TRANSACTION);
    }

    /**
     * Registers the advisor, and what makes proxies; to be called when all configuration classes have been read. Of advisors with the same
     * order the one that is registered later is further inside, and the advisor of {@code @Transactional} has the last order there is.
     */
    static void register(BeanDefinitionRegistry registry) {
        AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
        if (!registry.containsBeanDefinition(NAME)) {
            RootBeanDefinition definition = new RootBeanDefinition(FirstLockAdvisor.class);
            definition.setAutowireMode(AbstractBeanDefinition.AUTOWIRE_CONSTRUCTOR);
            definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
            registry.registerBeanDefinition(NAME, definition);
        }
    }

    /**
     * The lock that a call's transaction is to acquire first. It goes with the call from the advice around the transaction to the
     * one inside it.
     *
     * @param prepared acquires the lock
     * @param around the transaction that advice has begun or joined on this thread already, or null
     */
    record FirstLock(PreparedLock prepared, @Nullable TransactionStatus around) {
        private static final String ATTRIBUTE = FirstLock.class.getName();

        static FirstLock of(PreparedLock prepared) {
            return new FirstLock(prepared, current());
        }

        /** To ask for one where there is none costs an exception. */
        private static @Nullable TransactionStatus current() {
            try {
                return isActualTransactionActive() ? TransactionAspectSupport.currentTransactionStatus() : null;
            } catch (NoTransactionException none) {
                return null;
            }
        }

        void goWith(ProxyMethodInvocation call) {
            call.setUserAttribute(ATTRIBUTE, this);
        }

        static @Nullable FirstLock of(ProxyMethodInvocation call) {
            return (FirstLock) call.getUserAttribute(ATTRIBUTE);
        }

        /** @throws IllegalStateException unless advice has just begun a transaction for this call */
        HeldLock acquire() {
            TransactionStatus begun = current();
            if (begun == null || begun == around || !begun.isNewTransaction()) {
                throw new IllegalStateException(
                        "The lock was not acquired: no transaction was begun between the lock's advice and the method. The advice of"
                                + " @Transactional must be a proxy's, with an order greater than rowlock.aop.order");
            }
            return prepared.acquire();
        }
    }
}
