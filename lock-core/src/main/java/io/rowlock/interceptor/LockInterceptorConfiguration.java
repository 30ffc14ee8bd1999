package io.rowlock.interceptor;

import io.rowlock.LockClient;
import io.rowlock.leader.LeaderElections;
import java.util.List;
import org.aopalliance.intercept.MethodInterceptor;
import org.springframework.aop.Advisor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.function.SingletonSupplier;

/**
 * Makes the lock annotations work, and {@link io.rowlock.leader.LeaderOnly}. All beans are infrastructure and are made early; the {@link LockClient} is
 * looked up by the first guarded call, so that it is not. {@link LockInterceptorSettings} and {@link LockOverrides} beans are optional.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
@Import(LockInterceptorConfiguration.Registrar.class)
public class LockInterceptorConfiguration {
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static GuardedMethods rowlockGuardedMethods(
            ConfigurableListableBeanFactory beans, ObjectProvider<LockOverrides> overrides) {
        return new GuardedMethods(
                beans::resolveEmbeddedValue, overrides.getIfAvailable(() -> LockOverrides.NONE), beans);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockInterceptor rowlockInterceptor(
            GuardedMethods methods, ObjectProvider<LockClient> client, ConfigurableListableBeanFactory beans) {
        return new LockInterceptor(methods, SingletonSupplier.of(client::getObject), new TransactionLockAdvice(beans));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Advisor rowlockAdvisor(GuardedMethods methods, LockInterceptor interceptor, ListableBeanFactory beans) {
        return advisor(methods, interceptor, LockInterceptorSettings.of(beans).order(), beans);
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
    static Advisor rowlockLeaderAdvisor(LeaderOnlyAdvice advice, ListableBeanFactory beans) {
        int order = LockInterceptorSettings.of(beans).order();
        return advisor(advice, advice, order == Integer.MIN_VALUE ? order : order - 1, beans);
    }

    private static Advisor advisor(Pointcut methods, MethodInterceptor advice, int order, ListableBeanFactory beans) {
        var advisor = new DefaultPointcutAdvisor(GuardedMethods.proxied(methods, beans), advice);
        advisor.setOrder(order);
        return advisor;
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static BeanDefinitionRegistryPostProcessor rowlockFirstLockAdvisorRegistrar() {
        return FirstLockAdvisor::register;
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static WovenLocks rowlockWovenLocks(LeaderOnlyAdvice leaders, GuardedMethods methods, LockInterceptor locks) {
        return new WovenLocks(
                List.of(new DefaultPointcutAdvisor(leaders, leaders), new DefaultPointcutAdvisor(methods, locks)));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static MethodChecks rowlockMethodChecks(
            ConfigurableListableBeanFactory beans,
            GuardedMethods methods,
            LeaderOnlyAdvice leaders,
            LockInterceptor interceptor,
            WovenLocks woven) {
        return new MethodChecks(beans, methods, leaders, interceptor.transactions(), woven);
    }

    /** Sees to a proxy creator, and passes on what {@link EnableDistributedLocks} says if that is how the configuration was imported. */
    static final class Registrar implements ImportBeanDefinitionRegistrar {
        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
            MergedAnnotation<EnableDistributedLocks> enabled =
                    importing.getAnnotations().get(EnableDistributedLocks.class);
            if (!enabled.isPresent()) {
                return;
            }
            if (enabled.getBoolean("proxyTargetClass")) {
                AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
            }
            registry.registerBeanDefinition(
                    LockInterceptorSettings.class.getName(),
                    BeanDefinitionBuilder.rootBeanDefinition(LockInterceptorSettings.class)
                            .addConstructorArgValue(enabled.getInt("order"))
                            .addConstructorArgValue(enabled.getEnum("mode", AdviceMode.class))
                            .setRole(BeanDefinition.ROLE_INFRASTRUCTURE)
                            .getBeanDefinition());
        }
    }
}
