package io.rowlock.interceptor;

import io.rowlock.leader.LeaderElections;
import io.rowlock.leader.LeaderOnly;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.util.function.SingletonSupplier;

/** The beans that make {@link LeaderOnly} work, outside of the lock annotations: who does not lead takes no lock. */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class LeaderOnlyConfiguration {
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LeaderMethods rowlockLeaderMethods(ConfigurableBeanFactory beanFactory) {
        return new LeaderMethods(beanFactory::resolveEmbeddedValue);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Advisor rowlockLeaderAdvisor(
            LeaderMethods methods,
            ObjectProvider<LeaderElections> elections,
            ObjectProvider<LockInterceptorSettings> settings) {
        var interceptor = new LeaderInterceptor(methods, SingletonSupplier.of(elections::getObject));
        var advisor = new DefaultPointcutAdvisor(methods, interceptor);
        int locks = LockInterceptorSettings.orderOf(settings);
        advisor.setOrder(locks == Integer.MIN_VALUE ? locks : locks - 1);
        return advisor;
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LeaderMethodCheck rowlockLeaderMethodCheck(
            LeaderMethods methods, ObjectProvider<LeaderElections> elections) {
        return new LeaderMethodCheck(methods, elections);
    }
}
