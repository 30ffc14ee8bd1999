package io.rowlock.interceptor;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.type.AnnotationMetadata;

/** Sees to a proxy creator, and passes on what {@link EnableDistributedLocks} says if that is how we were imported. */
final class LockInterceptorRegistrar implements ImportBeanDefinitionRegistrar {
    private static final String SETTINGS = LockInterceptorSettings.class.getName();

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
        registry.registerBeanDefinition(SETTINGS, settings(enabled.getInt("order")));
    }

    private static BeanDefinition settings(int order) {
        RootBeanDefinition definition = new RootBeanDefinition(LockInterceptorSettings.class);
        definition.getConstructorArgumentValues().addGenericArgumentValue(order);
        definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
        return definition;
    }
}
