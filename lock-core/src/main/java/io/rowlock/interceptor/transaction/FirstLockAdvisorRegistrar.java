package io.rowlock.interceptor.transaction;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;

/**
 * Registers the {@link FirstLockAdvisor} when all configuration classes have been read. Of advisors with the same order the
 * one that is registered later is further inside, and the advisor of {@code @Transactional} has the last order there is.
 */
public final class FirstLockAdvisorRegistrar implements BeanDefinitionRegistryPostProcessor {
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
