package io.rowlock.interceptor;

import io.rowlock.LockClient;
import io.rowlock.leader.LeaderElections;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.util.function.SingletonSupplier;

/**
 * Makes the lock annotations work, and {@link io.rowlock.leader.LeaderOnly}. All beans are infrastructure and are made early; the {@link LockClient} is
 * looked up by the first guarded call, so that it is not. A {@link LockInterceptorSettings} bean is optional.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public class LockInterceptorConfiguration {
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Guards rowlockGuards(
            ConfigurableListableBeanFactory beans,
            @Nullable LockInterceptorSettings rowlockInterceptorSettings,
            ObjectProvider<LockClient> client,
            ObjectProvider<LeaderElections> elections) {
        LockInterceptorSettings settings =
                Objects.requireNonNullElse(rowlockInterceptorSettings, LockInterceptorSettings.DEFAULT);
        GuardedMethods methods = new GuardedMethods(beans::resolveEmbeddedValue, settings, beans);
        return new Guards(
                beans,
                settings,
                methods,
                new LockInterceptor(
                        methods,
                        SingletonSupplier.of(client::getObject),
                        SingletonSupplier.of(elections::getObject),
                        new TransactionLockAdvice(beans)));
    }

    /**
     * The advice of methods, in one bean whose name its users give to their parameters: to find a bean by its type alone, Spring looks
     * through all definitions, again for each parameter until all definitions are read.
     */
    record Guards(
            ConfigurableListableBeanFactory beans,
            LockInterceptorSettings settings,
            GuardedMethods methods,
            LockInterceptor locks)
            implements AopInfrastructureBean {}

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Advisor rowlockAdvisor(Guards rowlockGuards) {
        var advisor =
                new DefaultPointcutAdvisor(GuardedMethods.proxied(rowlockGuards, method -> true), rowlockGuards.locks);
        advisor.setOrder(rowlockGuards.settings.order());
        return advisor;
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static BeanDefinitionRegistryPostProcessor rowlockFirstLockAdvisorRegistrar() {
        return FirstLockAdvisor::register;
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static WovenLocks rowlockWovenLocks(Guards rowlockGuards) {
        return new WovenLocks(rowlockGuards.locks);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static MethodChecks rowlockMethodChecks(Guards rowlockGuards, WovenLocks rowlockWovenLocks) {
        return new MethodChecks(rowlockGuards, rowlockWovenLocks);
    }
}
