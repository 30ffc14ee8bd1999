package io.rowlock.interceptor;

import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.annotation.AnnotatedTypes;
import io.rowlock.annotation.InvalidLockAnnotationException;
import io.rowlock.interceptor.GuardedMethod.Kind;
import io.rowlock.interceptor.GuardedMethod.LockOperation;
import io.rowlock.interceptor.LockAnnotationParser.LockAnnotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Pointcut;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.SingletonBeanRegistry;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.MethodClassKey;
import org.springframework.expression.BeanResolver;
import org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringValueResolver;

/** Knows the methods of an application that take locks, each decided once, and matches these. Makes no bean. Thread-safe. */
final class GuardedMethods extends StaticMethodMatcherPointcut {
    private final Map<MethodClassKey, Optional<GuardedMethod>> known = new ConcurrentHashMap<>();
    private final LockAnnotationParser parser;
    private final ListableBeanFactory beans;
    private final BeanResolver resolver;
    private final KeyText texts = new KeyText();

    /**
     * @param placeholders resolves the ${…} of attributes
     * @param overrides what wins over the annotations
     */
    GuardedMethods(StringValueResolver placeholders, LockOverrides overrides, ListableBeanFactory beans) {
        this.parser = new LockAnnotationParser(placeholders, overrides);
        this.beans = beans;
        this.resolver = new BeanFactoryResolver(beans);
        setClassFilter(AnnotatedTypes::contain);
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        return find(method, targetClass) != null;
    }

    /**
     * Returns the method that is called.
     *
     * @throws IllegalStateException if it takes no lock, though the pointcut let the call through
     */
    GuardedMethod of(MethodInvocation call) {
        GuardedMethod found = find(call.getMethod(), targetClass(call));
        if (found == null) {
            throw notFound(call);
        }
        return found;
    }

    /**
     * Returns the class that the pointcut was asked with: that of the target itself, even if it is a proxy again, as of a repository. A
     * static method, which can only be woven, has no target.
     */
    static Class<?> targetClass(MethodInvocation call) {
        return targetClass(call.getThis(), call.getMethod());
    }

    static Class<?> targetClass(@Nullable Object target, Method method) {
        return target == null ? method.getDeclaringClass() : target.getClass();
    }

    /** Refuses a call that advice was made for: to proceed with it would be to run the body without its lock, or on any node. */
    static IllegalStateException notFound(MethodInvocation call) {
        return new IllegalStateException(
                "%s was not called: its proxy was made for an annotated method, but %s has no annotation for it. The target of a proxy must stay of one class"
                        .formatted(call.getMethod(), targetClass(call).getName()));
    }

    boolean areTransactionsProxied() {
        return beans.getBeanNamesForType(BeanFactoryTransactionAttributeSourceAdvisor.class, true, false).length > 0;
    }

    boolean isSingleton(String beanName) {
        return beans.containsBean(beanName) && beans.isSingleton(beanName);
    }

    /** Returns the definition of a bean, or null if it has none. */
    @Nullable
    AbstractBeanDefinition definition(String beanName) {
        return beans instanceof ConfigurableListableBeanFactory factory
                        && factory.containsBeanDefinition(beanName)
                        && factory.getMergedBeanDefinition(beanName) instanceof AbstractBeanDefinition definition
                ? definition
                : null;
    }

    /** Returns the beans of classes with annotations that are there already, as others are given them. */
    Map<String, Object> madeSingletons(Predicate<String> wanted) {
        return Arrays.stream(beans.getBeanDefinitionNames())
                .filter(wanted)
                .filter(name -> beans instanceof SingletonBeanRegistry made && made.containsSingleton(name))
                .filter(name ->
                        Stream.<Class<?>>ofNullable(beanClass(beans, name)).anyMatch(AnnotatedTypes::contain))
                .collect(Collectors.toMap(name -> name, beans::getBean));
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
        LockOperation operation = operation(method, beanClass);
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

    private @Nullable LockOperation operation(Method method, Class<?> beanClass) {
        if (method.getDeclaringClass() == Object.class) {
            return null;
        }
        Method specific = AopUtils.getMostSpecificMethod(method, beanClass);
        LockAnnotation own = nearest(specific, specific, beanClass);
        LockAnnotation annotation = own == null ? ofClass(specific, beanClass) : own;
        return annotation == null ? null : parser.parse(annotation, specific, beanClass);
    }

    private @Nullable LockAnnotation ofClass(Method method, Class<?> beanClass) {
        int modifiers = method.getModifiers();
        if (!Modifier.isPublic(modifiers)
                || Modifier.isStatic(modifiers)
                || method.isSynthetic()
                || ReflectionUtils.isObjectMethod(method)) {
            return null;
        }
        LockAnnotation annotation = nearest(beanClass, method, beanClass);
        return annotation != null && parser.isFallback(annotation, method) ? null : annotation;
    }

    private static @Nullable LockAnnotation nearest(AnnotatedElement element, Method method, Class<?> beanClass) {
        try {
            return LockAnnotation.nearest(element);
        } catch (IllegalArgumentException failure) {
            throw new InvalidLockAnnotationException(
                    beanClass, method, String.valueOf(failure.getMessage()), null, failure);
        }
    }

    private static Kind kind(LockOperation operation, Class<?> returned) {
        if (TransactionLockAdvice.guards(operation)) {
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
        return nearest(method.method(), method.method(), method.beanClass()) != null;
    }

    /** Returns the bean classes of the application that may have such methods, whether or not their beans are made. */
    List<Class<?>> beanClasses() {
        return allBeanClasses().filter(AnnotatedTypes::contain).toList();
    }

    /** Returns the classes of all beans of the application. */
    Stream<Class<?>> allBeanClasses() {
        return allBeanClasses(beans);
    }

    static Stream<Class<?>> allBeanClasses(ListableBeanFactory beans) {
        return Arrays.stream(beans.getBeanDefinitionNames())
                .flatMap(name -> Stream.<Class<?>>ofNullable(beanClass(beans, name)))
                .distinct();
    }

    ListableBeanFactory beans() {
        return beans;
    }

    /** Returns true if there is a client to acquire locks, without making it. */
    boolean haveClient() {
        return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, LockClient.class).length > 0;
    }

    /** Returns the failure of a method whose lock cannot be taken, with the properties that have a part in it. */
    InvalidLockAnnotationException refused(GuardedMethod method, String problem, @Nullable Throwable cause) {
        String remedy = parser.overrides().remedy(method.operation().name()).orElse(null);
        return method.refused(problem, remedy, cause);
    }

    /** Returns the class of a bean, not of its proxy, which need not show the annotations. */
    private static @Nullable Class<?> beanClass(ListableBeanFactory beans, String name) {
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
