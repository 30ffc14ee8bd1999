package io.rowlock.interceptor;

import io.rowlock.annotation.LockOperationSource;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/** The bean classes of an application that may have locks, whether or not their beans are made. Makes no bean. */
record LockedBeans(ListableBeanFactory beans, LockOperationSource operations) {
    List<Class<?>> classes() {
        return Arrays.stream(beans.getBeanDefinitionNames())
                .<@Nullable Class<?>>map(this::beanClass)
                .filter(Objects::nonNull)
                .<Class<?>>map(Objects::requireNonNull)
                .filter(operations::isCandidate)
                .distinct()
                .toList();
    }

    /** Not the class of its proxy, which need not show the annotations. */
    private @Nullable Class<?> beanClass(String name) {
        Class<?> target = beans instanceof ConfigurableListableBeanFactory factory
                ? AutoProxyUtils.determineTargetClass(factory, name)
                : null;
        Class<?> type = target == null ? beans.getType(name, false) : target;
        return type == null ? null : ClassUtils.getUserClass(type);
    }

    /** @throws io.rowlock.annotation.InvalidLockAnnotationException if there is an annotation that cannot work */
    List<LockedMethod> methods(Class<?> beanClass) {
        return LockedMethod.of(beanClass, operations);
    }
}
