package io.rowlock.interceptor;

import io.rowlock.annotation.AnnotatedTypes;
import io.rowlock.annotation.InvalidLockAnnotationException;
import io.rowlock.interceptor.LockInterceptorConfiguration.Guards;
import io.rowlock.leader.LeaderOnly;
import io.rowlock.leader.LeaderRole;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.ComposablePointcut;
import org.springframework.aop.support.StaticMethodMatcher;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.Lifecycle;
import org.springframework.context.Phased;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.context.event.SmartApplicationListener;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodClassKey;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringValueResolver;

/**
 * Knows the methods of an application that acquire locks, or that only a leader runs: reads the annotations of each once, and matches
 * those that have some. Thread-safe.
 */
final class GuardedMethods extends StaticMethodMatcherPointcut {
    /** Their methods with a result are questions of the container, and no work. */
    private static final List<Class<?>> ASKED = List.of(
            Ordered.class,
            Phased.class,
            Lifecycle.class,
            SmartLifecycle.class,
            ApplicationListener.class,
            SmartApplicationListener.class,
            GenericApplicationListener.class);

    private final LockAnnotationParser parser;
    private final Map<MethodClassKey, Optional<ProxiedMethod>> known = new ConcurrentHashMap<>();

    /**
     * @param placeholders resolves the ${…} of attributes
     * @param settings of which some win over the annotations
     */
    GuardedMethods(StringValueResolver placeholders, LockInterceptorSettings settings, ListableBeanFactory beans) {
        this.parser = new LockAnnotationParser(placeholders, settings, new BeanFactoryResolver(beans), new KeyText());
        setClassFilter(AnnotatedTypes::contain);
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        return find(method, targetClass) != null;
    }

    /** @throws InvalidLockAnnotationException if there is an annotation that cannot work */
    @Nullable
    ProxiedMethod find(Method method, Class<?> targetClass) {
        MethodClassKey key = new MethodClassKey(method, targetClass);
        Optional<ProxiedMethod> decided = known.get(key);
        if (decided == null) {
            Class<?> beanClass = ClassUtils.getUserClass(targetClass);
            decided = method.getDeclaringClass() == Object.class
                    ? Optional.empty()
                    : decided(AopUtils.getMostSpecificMethod(method, beanClass), beanClass);
            known.put(key, decided);
        }
        return decided.orElse(null);
    }

    private Optional<ProxiedMethod> decided(Method method, Class<?> beanClass) {
        try {
            return Optional.ofNullable(decide(method, beanClass));
        } catch (IllegalArgumentException wrong) {
            throw new InvalidLockAnnotationException(
                    beanClass, method, String.valueOf(wrong.getMessage()), null, wrong);
        }
    }

    /**
     * Returns what is said of the method that is called.
     *
     * @throws IllegalStateException if nothing is, though the pointcut let the call through: to proceed with it would be to run the body
     *     without its lock, or on any node
     */
    ProxiedMethod of(MethodInvocation call) {
        ProxiedMethod found = find(call.getMethod(), targetClass(call));
        if (found == null) {
            throw new IllegalStateException(
                    "%s was not called: its proxy was made for an annotated method, but %s has no annotation for it. The target of a proxy must stay of one class"
                            .formatted(call.getMethod(), targetClass(call).getName()));
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

    /** Returns what is said of the methods of all beans, but for annotations that stop the start when their bean is made. */
    List<ProxiedMethod> readable(ConfigurableListableBeanFactory beans) {
        return AnnotatedBeans.classes(beans)
                .flatMap(beanClass -> candidates(beanClass).flatMap(method -> readable(method, beanClass)))
                .toList();
    }

    private Stream<ProxiedMethod> readable(Method method, Class<?> beanClass) {
        try {
            return Stream.ofNullable(find(method, beanClass));
        } catch (InvalidLockAnnotationException wrong) {
            return Stream.empty(); // reported when the bean is made
        }
    }

    /** Returns what is said of the methods of a class. */
    List<ProxiedMethod> in(Class<?> beanClass) {
        return candidates(beanClass)
                .flatMap(method -> Stream.ofNullable(find(method, beanClass)))
                .toList();
    }

    /** Returns the methods of a class that may be annotated and can be called through a proxy, if anything can. */
    static Stream<Method> candidates(Class<?> beanClass) {
        return AnnotatedTypes.contain(beanClass)
                ? Arrays.stream(ReflectionUtils.getAllDeclaredMethods(beanClass))
                        .filter(method -> isOwn(method, beanClass))
                : Stream.empty();
    }

    // a method that is overridden further down is never called through the proxy
    private static boolean isOwn(Method method, Class<?> beanClass) {
        return !method.isSynthetic()
                && method.getDeclaringClass() != Object.class
                && AopUtils.getMostSpecificMethod(method, beanClass).equals(method);
    }

    private @Nullable ProxiedMethod decide(Method method, Class<?> beanClass) {
        GuardedMethod lock = lockOf(method, beanClass);
        String role = roleOf(method, beanClass);
        return lock == null && role == null ? null : new ProxiedMethod(beanClass, method, lock, role);
    }

    private @Nullable GuardedMethod lockOf(Method method, Class<?> beanClass) {
        MergedAnnotation<?> annotation = annotationOf(method, beanClass);
        if (annotation == null) {
            return null;
        }
        GuardedMethod guarded = parser.parse(annotation, method, beanClass);
        Method fallback = guarded.fallback();
        if (fallback != null && annotationOf(fallback, beanClass) != null) {
            throw new IllegalArgumentException(
                    "the fallback \"%s\" has a lock of its own or of its class, which would not be acquired; remove the annotation, or make it protected, as the lock of a class is that of public methods"
                            .formatted(fallback.getName()));
        }
        return guarded;
    }

    private @Nullable String roleOf(Method method, Class<?> beanClass) {
        MergedAnnotation<LeaderOnly> annotation =
                MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).get(LeaderOnly.class);
        if (!annotation.isPresent()) {
            return null;
        }
        SkippedResult.requireFor(method, "on a node that does not lead");
        Class<?> later = ResultTypes.laterIn(method, beanClass);
        if (later != null || KotlinDetector.isSuspendingFunction(method)) {
            throw new IllegalArgumentException(
                    "its work is done after the call, by the %s that it returns; ask LeaderElection.isLeader() there"
                            .formatted(later == null ? "continuation" : later.getTypeName()));
        }
        String role = parser.resolved("the role", annotation.getString(MergedAnnotation.VALUE));
        return LeaderRole.named(role == null ? "" : role).name();
    }

    private @Nullable MergedAnnotation<?> annotationOf(Method method, Class<?> beanClass) {
        MergedAnnotation<?> own = LockAnnotationParser.nearest(method);
        return own == null ? ofClass(method, beanClass) : own;
    }

    private @Nullable MergedAnnotation<?> ofClass(Method method, Class<?> beanClass) {
        int modifiers = method.getModifiers();
        if (!Modifier.isPublic(modifiers)
                || Modifier.isStatic(modifiers)
                || method.isSynthetic()
                || isQuestion(method, beanClass)) {
            return null;
        }
        MergedAnnotation<?> annotation = LockAnnotationParser.nearest(beanClass);
        return annotation != null && parser.isFallback(annotation, method) ? null : annotation;
    }

    /** Returns true if no annotation of its class applies to a method, and it has none itself. */
    static boolean isOnlyAsked(@Nullable Object target, Method method) {
        return isQuestion(method, targetClass(target, method))
                && LockAnnotationParser.nearest(method) == null
                && !AnnotatedElementUtils.hasAnnotation(method, LeaderOnly.class);
    }

    private static boolean isQuestion(Method method, Class<?> beanClass) {
        return ReflectionUtils.isObjectMethod(method)
                || (method.getReturnType() != void.class
                        && ASKED.stream()
                                .anyMatch(type -> type.isAssignableFrom(beanClass)
                                        && ClassUtils.hasMethod(type, method.getName(), method.getParameterTypes())));
    }

    /**
     * Returns those of some methods that proxies guard. Where methods are woven, those whose transaction a proxy begins, since it would
     * begin before the woven lock.
     */
    static Pointcut proxied(Guards guards, Predicate<ProxiedMethod> some) {
        GuardedMethods methods = guards.methods();
        boolean all = guards.settings().mode() == AdviceMode.PROXY;
        ObjectProvider<BeanFactoryTransactionAttributeSourceAdvisor> transactions =
                guards.beans().getBeanProvider(BeanFactoryTransactionAttributeSourceAdvisor.class, false);
        return new ComposablePointcut(methods.getClassFilter(), new StaticMethodMatcher() {
            @Override
            public boolean matches(Method method, Class<?> targetClass) {
                ProxiedMethod found = methods.find(method, targetClass);
                return found != null
                        && some.test(found)
                        && (all
                                || transactions.stream()
                                        .anyMatch(advisor -> applies(advisor.getPointcut(), method, targetClass)));
            }
        });
    }

    static boolean applies(Pointcut pointcut, Method method, Class<?> targetClass) {
        return pointcut.getClassFilter().matches(targetClass)
                && pointcut.getMethodMatcher().matches(method, targetClass);
    }
}
