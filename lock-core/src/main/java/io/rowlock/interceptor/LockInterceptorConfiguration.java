package io.rowlock.interceptor;

import io.rowlock.LockClient;
import io.rowlock.annotation.LockOperationSource;
import io.rowlock.annotation.LockOverrides;
import io.rowlock.client.RowlockClient;
import io.rowlock.interceptor.transaction.FirstLockAdvisorRegistrar;
import io.rowlock.interceptor.transaction.TransactionGuard;
import org.springframework.aop.Advisor;
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
 * The beans that make the lock annotations work. All are infrastructure and are made early; the {@link LockClient} is
 * looked up by the first guarded call, so that it is not. {@link LockInterceptorSettings},
 * {@link LockOverrides} and {@link LockRequestValidator} beans are optional.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
@Import({LockInterceptorRegistrar.class, LeaderOnlyConfiguration.class})
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
    static Advisor rowlockAdvisor(
            LockOperationSource operations,
            ConfigurableBeanFactory beanFactory,
            ObjectProvider<LockClient> client,
            TransactionGuard transactions,
            ObjectProvider<LockInterceptorSettings> settings) {
        var interceptor = new LockInterceptor(
                operations, SingletonSupplier.of(client::getObject), new KeyEvaluator(beanFactory), transactions);
        var advisor = new DefaultPointcutAdvisor(new LockPointcut(operations), interceptor);
        advisor.setOrder(LockInterceptorSettings.orderOf(settings));
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
    static FirstLockAdvisorRegistrar rowlockFirstLockAdvisorRegistrar() {
        return new FirstLockAdvisorRegistrar();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockNameCheck rowlockNameCheck(
            ListableBeanFactory beans,
            LockOperationSource operations,
            ObjectProvider<LockOverrides> overrides,
            ObjectProvider<RowlockClient> client) {
        return new LockNameCheck(
                new LockedBeans(beans, operations), overrides.getIfAvailable(() -> LockOverrides.NONE), client);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockAnnotationCheck rowlockAnnotationCheck(
            LockOperationSource operations,
            TransactionGuard transactions,
            ObjectProvider<LockRequestValidator> validators) {
        return new LockAnnotationCheck(operations, transactions, validators);
    }
}
