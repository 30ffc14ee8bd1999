package io.rowlock.interceptor;

import io.rowlock.annotation.InvalidLockAnnotationException;
import io.rowlock.annotation.LockOperation;
import io.rowlock.annotation.LockOperationSource;
import io.rowlock.interceptor.transaction.TransactionGuard;
import java.lang.reflect.Method;
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
 * Stops the start when an annotated method would run without its lock, or could never get one. Looks at each bean as it
 * is made, and makes none; what only the client knows is asked when all singletons are there.
 */
final class LockAnnotationCheck implements BeanPostProcessor, SmartInitializingSingleton {
    private final LockOperationSource operations;
    private final TransactionGuard transactions;
    private final ObjectProvider<LockRequestValidator> validators;
    private final Map<Class<?>, List<LockedMethod>> checked = new ConcurrentHashMap<>();
    private final Queue<LockedMethod> unvalidated = new ConcurrentLinkedQueue<>();
    private final JobNames jobs = new JobNames();
    private volatile boolean started;

    LockAnnotationCheck(
            LockOperationSource operations,
            TransactionGuard transactions,
            ObjectProvider<LockRequestValidator> validators) {
        this.operations = operations;
        this.transactions = transactions;
        this.validators = validators;
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String beanName) {
        lockedMethods(bean);
        return bean;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        lockedMethods(bean).forEach(method -> method.guarded().rejectUnlessReachedBy(bean));
        return bean;
    }

    private List<LockedMethod> lockedMethods(Object bean) {
        // a scoped proxy would have to make its target to tell its class; the target is looked at itself
        if (bean instanceof AopInfrastructureBean) {
            return List.of();
        }
        Class<?> beanClass = ClassUtils.getUserClass(AopUtils.getTargetClass(bean));
        List<LockedMethod> known = checked.get(beanClass);
        return known == null ? check(beanClass) : known;
    }

    private List<LockedMethod> check(Class<?> beanClass) {
        List<LockedMethod> methods =
                operations.isCandidate(beanClass) ? LockedMethod.of(beanClass, operations) : List.of();
        methods.forEach(LockedMethod::rejectUnlessGuardable);
        jobs.add(methods);
        if (checked.putIfAbsent(beanClass, methods) == null) {
            unvalidated.addAll(methods);
        }
        if (started) {
            validate();
        }
        return methods;
    }

    @Override
    public void afterSingletonsInstantiated() {
        started = true;
        validate();
    }

    private void validate() {
        for (LockedMethod next = unvalidated.poll(); next != null; next = unvalidated.poll()) {
            LockedMethod method = next;
            requireFitTransaction(method);
            validators.forEach(validator -> validate(method, method.operation(), validator));
        }
    }

    private void requireFitTransaction(LockedMethod locked) {
        Method method = locked.guarded().method();
        Class<?> beanClass = locked.guarded().beanClass();
        String refusal = transactions.refusal(locked.operation(), method, beanClass);
        if (refusal != null) {
            throw new InvalidLockAnnotationException(beanClass, method, refusal, null);
        }
    }

    private static void validate(LockedMethod method, LockOperation operation, LockRequestValidator validator) {
        try {
            validator.validate(operation.sampleRequest());
        } catch (IllegalArgumentException failure) {
            throw new InvalidLockAnnotationException(
                    method.guarded().beanClass(),
                    method.guarded().method(),
                    String.valueOf(failure.getMessage()),
                    failure);
        }
    }
}
