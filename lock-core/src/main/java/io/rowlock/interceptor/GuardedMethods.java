package io.rowlock.interceptor;

import io.rowlock.LockRequest;
import io.rowlock.annotation.AnnotatedTypes;
import io.rowlock.annotation.InvalidLockAnnotationException;
import io.rowlock.annotation.LockOperation;
import io.rowlock.annotation.LockOperationSource;
import io.rowlock.interceptor.GuardedMethod.Kind;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Pointcut;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.MethodClassKey;
import org.springframework.expression.BeanResolver;
import org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor;
import org.springframework.util.ClassUtils;

/** Knows the methods of an application that take locks, each decided once, and matches these. Makes no bean. Thread-safe. */
final class GuardedMethods extends StaticMethodMatcherPointcut {
    private final Map<MethodClassKey, Optional<GuardedMethod>> known = new ConcurrentHashMap<>();
    private final LockOperationSource operations;
    private final ListableBeanFactory beans;
    private final BeanResolver resolver;
    private final KeyText texts = new KeyText();

    GuardedMethods(LockOperationSource operations, ListableBeanFactory beans) {
        this.operations = operations;
        this.beans = beans;
        this.resolver = new BeanFactoryResolver(beans);
        setClassFilter(AnnotatedTypes::contain);
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        return find(method, targetClass) != null;
    }

    /** Returns the method that is called, or null if it takes no lock. */
    @Nullable
    GuardedMethod of(MethodInvocation call) {
        return find(call.getMethod(), targetClass(call));
    }

    /** Returns the class of the target; a static method, which can only be woven, has none. */
    static Class<?> targetClass(MethodInvocation call) {
        Object target = call.getThis();
        return target == null ? call.getMethod().getDeclaringClass() : AopUtils.getTargetClass(target);
    }

    boolean areTransactionsProxied() {
        return beans.getBeanNamesForType(BeanFactoryTransactionAttributeSourceAdvisor.class, true, false).length > 0;
    }

    boolean isSingleton(String beanName) {
        return beans.containsBean(beanName) && beans.isSingleton(beanName);
    }

    /** @throws InvalidLockAnnotationException if there is an annotation that cannot work */
    @Nullable
    GuardedMethod find(Method method, Class<?> targetClass) {
        MethodClassKey key = new MethodClassKey(method, targetClass);
        Optional<GuardedMethod> decided = known.get(key);
        if (decided == null) {
            decided = Optional.ofNullable(decide(method, ClassUtils.getUserClass(targetClass)));
            known.put(key, decided);
        }
        return decided.orElse(null);
    }

    private @Nullable GuardedMethod decide(Method method, Class<?> beanClass) {
        LockOperation operation = operations.find(method, beanClass);
        if (operation == null) {
            return null;
        }
        Method specific = AopUtils.getMostSpecificMethod(method, beanClass);
        return new GuardedMethod(
                beanClass,
                specific,
                operation,
                kind(operation, specific.getReturnType()),
                requests(operation, specific, beanClass));
    }

    private static Kind kind(LockOperation operation, Class<?> returned) {
        if (TransactionGuard.guards(operation)) {
            return Kind.TRANSACTION;
        }
        return ResultTypes.isGuardableReactive(returned) ? Kind.REACTIVE : Kind.VALUE;
    }

    private Function<MethodInvocation, LockRequest> requests(
            LockOperation operation, Method method, Class<?> beanClass) {
        if (operation.key() == null) {
            LockRequest always = operation.request(List.of());
            return call -> always;
        }
        KeyExpression key = new KeyExpression(operation, method, beanClass, resolver, texts);
        return call -> operation.request(key.values(call));
    }

    /**
     * Returns the methods of a class that take locks.
     *
     * @throws InvalidLockAnnotationException if there is an annotation that cannot work
     */
    List<GuardedMethod> in(Class<?> beanClass) {
        List<GuardedMethod> guarded = new ArrayList<>();
        for (Method method :
                AnnotatedTypes.contain(beanClass) ? ProxiedMethod.candidates(beanClass) : List.<Method>of()) {
            GuardedMethod found = find(method, beanClass);
            if (found != null) {
                guarded.add(found);
            }
        }
        return List.copyOf(guarded);
    }

    /** Returns true if the annotation is one of the method, and not of its class. */
    boolean isAnnotatedItself(GuardedMethod method) {
        return operations.isDeclaredOnMethod(method.method(), method.beanClass());
    }

    /** Returns the bean classes of the application that may have such methods, whether or not their beans are made. */
    List<Class<?>> beanClasses() {
        return allBeanClasses().filter(AnnotatedTypes::contain).toList();
    }

    /** Returns the classes of all beans of the application. */
    Stream<Class<?>> allBeanClasses() {
        return Arrays.stream(beans.getBeanDefinitionNames())
                .<Class<?>>mapMulti((name, found) -> {
                    Class<?> type = beanClass(name);
                    if (type != null) {
                        found.accept(type);
                    }
                })
                .distinct();
    }

    /** Returns the failure of a method whose lock cannot be taken, with the properties that have a part in it. */
    InvalidLockAnnotationException refused(GuardedMethod method, String problem, @Nullable Throwable cause) {
        return new InvalidLockAnnotationException(
                method.beanClass(), method.method(), problem, operations.remedy(method.operation()), cause);
    }

    /** Returns the class of a bean, not of its proxy, which need not show the annotations. */
    private @Nullable Class<?> beanClass(String name) {
        Class<?> target = beans instanceof ConfigurableListableBeanFactory factory
                ? AutoProxyUtils.determineTargetClass(factory, name)
                : null;
        Class<?> type = target == null ? beans.getType(name, false) : target;
        return type == null ? null : ClassUtils.getUserClass(type);
    }

    /**
     * Matches what proxies guard where methods are woven: those whose transaction a proxy begins, since it would begin before the woven
     * lock.
     */
    static final class Proxied extends StaticMethodMatcherPointcut {
        private final Pointcut guarded;
        private final ObjectProvider<BeanFactoryTransactionAttributeSourceAdvisor> transactions;

        private Proxied(Pointcut guarded, ObjectProvider<BeanFactoryTransactionAttributeSourceAdvisor> transactions) {
            this.guarded = guarded;
            this.transactions = transactions;
            setClassFilter(guarded.getClassFilter());
        }

        /** Returns those of the guarded methods that proxies guard. */
        static Pointcut of(
                Pointcut guarded,
                AdviceMode mode,
                ObjectProvider<BeanFactoryTransactionAttributeSourceAdvisor> transactions) {
            return mode == AdviceMode.PROXY ? guarded : new Proxied(guarded, transactions);
        }

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            return guarded.getMethodMatcher().matches(method, targetClass)
                    && transactions.stream().anyMatch(advisor -> applies(advisor.getPointcut(), method, targetClass));
        }

        static boolean applies(Pointcut pointcut, Method method, Class<?> targetClass) {
            return pointcut.getClassFilter().matches(targetClass)
                    && pointcut.getMethodMatcher().matches(method, targetClass);
        }
    }
}
