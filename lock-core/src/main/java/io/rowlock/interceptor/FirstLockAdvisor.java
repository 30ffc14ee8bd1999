package io.rowlock.interceptor;

import io.rowlock.interceptor.GuardedMethod.Kind;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.Ordered;

/** Takes the lock of a method whose lock is part of its transaction: as the innermost advice, before all else in the transaction. */
final class FirstLockAdvisor extends DefaultPointcutAdvisor {
    private static final long serialVersionUID = 1L;

    FirstLockAdvisor(GuardedMethods methods) {
        super(new TransactionMethods(methods), (MethodInterceptor) FirstLockAdvisor::takeFirst);
        setOrder(Ordered.LOWEST_PRECEDENCE);
    }

    private static @Nullable Object takeFirst(MethodInvocation invocation) throws Throwable {
        FirstLock first = invocation instanceof ProxyMethodInvocation call ? FirstLock.of(call) : null;
        if (first != null) {
            first.take();
        }
        return invocation.proceed();
    }

    private static final class TransactionMethods extends StaticMethodMatcherPointcut {
        private final GuardedMethods methods;

        TransactionMethods(GuardedMethods methods) {
            this.methods = methods;
            setClassFilter(methods.getClassFilter());
        }

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            GuardedMethod guarded = methods.find(method, targetClass);
            return guarded != null && guarded.kind() == Kind.TRANSACTION;
        }
    }

    /**
     * Registers the advisor when all configuration classes have been read. Of advisors with the same order the one that is
     * registered later is further inside, and the advisor of {@code @Transactional} has the last order there is.
     */
    static final class Registrar implements BeanDefinitionRegistryPostProcessor {
        private static final String NAME = "rowlockFirstLockAdvisor";

        @Override
        public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
            if (!registry.containsBeanDefinition(NAME)) {
                RootBeanDefinition definition = new RootBeanDefinition(FirstLockAdvisor.class);
                definition.setAutowireMode(AbstractBeanDefinition.AUTOWIRE_CONSTRUCTOR);
                definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
                registry.registerBeanDefinition(NAME, definition);
            }
        }
    }
}
