package io.rowlock.interceptor;

import io.rowlock.LockClient;
import io.rowlock.leader.LeaderElections;
import java.util.List;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.util.StringValueResolver;
import org.springframework.util.function.SingletonSupplier;

/**
 * Makes the lock annotations work, and {@link io.rowlock.leader.LeaderOnly}. All beans are infrastructure and are made early; the {@link LockClient} is
 * looked up by the first guarded call, so that it is not. {@link LockInterceptorSettings} and {@link LockOverrides} beans are optional.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public class LockInterceptorConfiguration {
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Guards rowlockGuards(
            ConfigurableListableBeanFactory beans,
            @Nullable LockInterceptorSettings rowlockInterceptorSettings,
            @Nullable LockOverrides rowlockLockOverrides,
            ObjectProvider<LockClient> client,
            ObjectProvider<LeaderElections> elections) {
        StringValueResolver placeholders = beans::resolveEmbeddedValue;
        LockOverrides overrides = rowlockLockOverrides == null ? LockOverrides.NONE : rowlockLockOverrides;
        GuardedMethods methods = new GuardedMethods(placeholders, overrides, beans);
        return new Guards(
                beans,
                rowlockInterceptorSettings == null ? LockInterceptorSettings.DEFAULT : rowlockInterceptorSettings,
                methods,
                new LockInterceptor(methods, SingletonSupplier.of(client::getObject), new TransactionLockAdvice(beans)),
                new LeaderOnlyAdvice(placeholders, SingletonSupplier.of(elections::getObject)));
    }

    /**
     * The advice of methods, in one bean whose name its users give to their parameters: to find a bean by its type alone, Spring looks
     * through all definitions, again for each parameter until all definitions are read.
     */
    record Guards(
            ConfigurableListableBeanFactory beans,
            LockInterceptorSettings settings,
            GuardedMethods methods,
            LockInterceptor locks,
            LeaderOnlyAdvice leaders)
            implements AopInfrastructureBean {
        private Advisor advisor(Pointcut pointcut, MethodInterceptor advice, int order) {
            var advisor = new DefaultPointcutAdvisor(GuardedMethods.proxied(pointcut, this), advice);
            advisor.setOrder(order);
            return advisor;
        }
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Advisor rowlockAdvisor(Guards rowlockGuards) {
        return rowlockGuards.advisor(rowlockGuards.methods, rowlockGuards.locks, rowlockGuards.settings.order());
    }

    /** Stands outside of the locks: a node that does not lead acquires none. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Advisor rowlockLeaderAdvisor(Guards rowlockGuards) {
        int order = rowlockGuards.settings.order();
        // The least order there is has none before it
        return rowlockGuards.advisor(rowlockGuards.leaders, rowlockGuards.leaders, Math.min(order, order - 1));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static BeanDefinitionRegistryPostProcessor rowlockFirstLockAdvisorRegistrar() {
        return FirstLockAdvisor::register;
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static WovenLocks rowlockWovenLocks(Guards rowlockGuards) {
        return new WovenLocks(List.of(
                new DefaultPointcutAdvisor(rowlockGuards.leaders, rowlockGuards.leaders),
                new DefaultPointcutAdvisor(rowlockGuards.methods, rowlockGuards.locks)));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static MethodChecks rowlockMethodChecks(Guards rowlockGuards, WovenLocks rowlockWovenLocks) {
        return new MethodChecks(rowlockGuards, rowlockWovenLocks);
    }
}
