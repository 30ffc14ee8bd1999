package io.rowlock.interceptor;

import io.rowlock.LockClient;
import io.rowlock.annotation.LockOperationSource;
import io.rowlock.annotation.LockOverrides;
import io.rowlock.client.RowlockClient;
import io.rowlock.leader.LeaderElections;
import org.aopalliance.intercept.MethodInterceptor;
import org.springframework.aop.Advisor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.util.function.SingletonSupplier;

/**
 * Makes the lock annotations work, and {@link io.rowlock.leader.LeaderOnly}. All beans are infrastructure and are made early; the {@link LockClient} is
 * looked up by the first guarded call, so that it is not. {@link LockInterceptorSettings},
 * {@link LockOverrides} and {@link LockRequestValidator} beans are optional.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
@Import(LockInterceptorRegistrar.class)
public class LockInterceptorConfiguration {
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockOperationSource rowlockOperationSource(
            ConfigurableBeanFactory beanFactory, ObjectProvider<LockOverrides> overrides) {
        return new LockOperationSource(
                beanFactory::resolveEmbeddedValue, overrides.getIfAvailable(() -> LockOverrides.NONE));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static GuardedMethods rowlockGuardedMethods(LockOperationSource operations, ListableBeanFactory beans) {
        return new GuardedMethods(operations, beans);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Advisor rowlockAdvisor(
            GuardedMethods methods,
            ObjectProvider<LockClient> client,
            TransactionGuard transactions,
            ObjectProvider<LockInterceptorSettings> settings) {
        var interceptor = new LockInterceptor(methods, SingletonSupplier.of(client::getObject), transactions);
        return advisor(methods, interceptor, LockInterceptorSettings.orderOf(settings));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LeaderOnlyAdvice rowlockLeaderOnlyAdvice(
            ConfigurableBeanFactory beanFactory, ObjectProvider<LeaderElections> elections) {
        return new LeaderOnlyAdvice(beanFactory::resolveEmbeddedValue, SingletonSupplier.of(elections::getObject));
    }

    /** Stands outside of the locks: a node that does not lead acquires none. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Advisor rowlockLeaderAdvisor(LeaderOnlyAdvice advice, ObjectProvider<LockInterceptorSettings> settings) {
        int locks = LockInterceptorSettings.orderOf(settings);
        return advisor(advice, advice, locks == Integer.MIN_VALUE ? locks : locks - 1);
    }

    private static Advisor advisor(Pointcut methods, MethodInterceptor interceptor, int order) {
        var advisor = new DefaultPointcutAdvisor(methods, interceptor);
        advisor.setOrder(order);
        return advisor;
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static TransactionGuard rowlockTransactionGuard(
            ObjectProvider<TransactionAttributeSource> attributes,
            ObjectProvider<PlatformTransactionManager> managers) {
        return new TransactionGuard(attributes, managers);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static FirstLockAdvisor.Registrar rowlockFirstLockAdvisorRegistrar() {
        return new FirstLockAdvisor.Registrar();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static MethodChecks rowlockMethodChecks(
            GuardedMethods methods,
            LeaderOnlyAdvice leaders,
            TransactionGuard transactions,
            ObjectProvider<LockOverrides> overrides,
            ObjectProvider<RowlockClient> client,
            ObjectProvider<LockRequestValidator> validators,
            ObjectProvider<LeaderElections> elections) {
        LockNames names = new LockNames(overrides.getIfAvailable(() -> LockOverrides.NONE), client);
        return new MethodChecks(methods, leaders, transactions, names, validators, elections);
    }
}
