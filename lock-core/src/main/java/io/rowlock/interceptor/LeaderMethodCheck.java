package io.rowlock.interceptor;

import io.rowlock.annotation.InvalidLockAnnotationException;
import io.rowlock.leader.LeaderElections;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.util.ClassUtils;

/**
 * Has the node stand for the roles its beans have methods for, and stops the start when such a method would run on every
 * node. Looks at each bean as it is made, and makes none.
 */
final class LeaderMethodCheck implements BeanPostProcessor, SmartInitializingSingleton {
    private final LeaderMethods methods;
    private final ObjectProvider<LeaderElections> elections;
    private final Map<Class<?>, List<GuardedMethod>> checked = new ConcurrentHashMap<>();
    private final Queue<GuardedMethod> unjoined = new ConcurrentLinkedQueue<>();
    private volatile boolean started;

    LeaderMethodCheck(LeaderMethods methods, ObjectProvider<LeaderElections> elections) {
        this.methods = methods;
        this.elections = elections;
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String beanName) {
        guardedMethods(bean);
        return bean;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        guardedMethods(bean).forEach(method -> method.rejectUnlessReachedBy(bean));
        return bean;
    }

    private List<GuardedMethod> guardedMethods(Object bean) {
        // a scoped proxy would have to make its target to tell its class; the target is looked at itself
        if (bean instanceof AopInfrastructureBean) {
            return List.of();
        }
        Class<?> beanClass = ClassUtils.getUserClass(AopUtils.getTargetClass(bean));
        List<GuardedMethod> known = checked.get(beanClass);
        return known == null ? check(beanClass) : known;
    }

    private List<GuardedMethod> check(Class<?> beanClass) {
        List<GuardedMethod> guarded = LeaderMethods.isCandidate(beanClass) ? guardedMethodsOf(beanClass) : List.of();
        guarded.forEach(GuardedMethod::rejectUnlessProxyable);
        if (checked.putIfAbsent(beanClass, guarded) == null) {
            unjoined.addAll(guarded);
        }
        if (started) {
            join();
        }
        return guarded;
    }

    private List<GuardedMethod> guardedMethodsOf(Class<?> beanClass) {
        List<GuardedMethod> guarded = new ArrayList<>();
        for (Method method : GuardedMethod.candidates(beanClass)) {
            if (methods.matches(method, beanClass)) {
                guarded.add(new GuardedMethod(beanClass, method, true, "run on every node"));
            }
        }
        return List.copyOf(guarded);
    }

    @Override
    public void afterSingletonsInstantiated() {
        started = true;
        join();
    }

    private void join() {
        for (GuardedMethod next = unjoined.poll(); next != null; next = unjoined.poll()) {
            join(next);
        }
    }

    private void join(GuardedMethod next) {
        LeaderElections available = elections.getIfAvailable();
        String role = methods.role(next.method(), next.beanClass());
        if (available == null || role == null) {
            throw new InvalidLockAnnotationException(
                    next.beanClass(),
                    next.method(),
                    "there is no LeaderElections bean, so no node would lead; a DataSource of MySQL or MariaDB is needed,"
                            + " or rowlock.enabled=false to run the method on every node",
                    null);
        }
        try {
            available.of(role);
        } catch (IllegalArgumentException failure) {
            throw new InvalidLockAnnotationException(
                    next.beanClass(), next.method(), String.valueOf(failure.getMessage()), failure);
        }
    }
}
