package io.rowlock.interceptor;

import io.rowlock.annotation.InvalidLockAnnotationException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.HierarchicalBeanFactory;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.util.ClassUtils;

/**
 * A method of a bean that a proxy has to guard, and whether one can.
 *
 * @param lock takes its lock; null if it has none
 * @param role the role whose leader runs it; null if every node does
 */
record ProxiedMethod(
        Class<?> beanClass,
        Method method,
        @Nullable GuardedMethod lock,
        @Nullable String role) {
    private static final String WEAVE =
            "Weave the class with io.rowlock:rowlock-aspects (https://github.com/rowlock/rowlock/blob/main/docs/aspectj.md)."
                    + " The weaver does not see the annotation of an overridden method: repeat it on the method itself. Or set rowlock.aop.mode=proxy.";

    private static final String LIFE_CYCLE_CALL =
            "the container calls a life-cycle method on the bean itself; move the work into a method of another bean";

    private static final List<String> LIFE_CYCLE = List.of(
            "jakarta.annotation.PostConstruct",
            "jakarta.annotation.PreDestroy",
            "jakarta.annotation.Resource",
            "jakarta.inject.Inject",
            "org.springframework.beans.factory.annotation.Autowired");

    /** Returns the methods of a class that take locks, or that only a leader runs. */
    static List<ProxiedMethod> in(Class<?> beanClass, GuardedMethods locks, LeaderOnlyAdvice leaders) {
        return AnnotatedMethods.candidates(beanClass)
                .map(method -> new ProxiedMethod(
                        beanClass, method, locks.find(method, beanClass), leaders.find(method, beanClass)))
                .filter(each -> each.lock != null || each.role != null)
                .toList();
    }

    /** Returns true if an annotation is one of the method, and not of its class. */
    private boolean isAnnotatedItself() {
        return role != null || (lock != null && lock.annotatedItself());
    }

    /** Returns what would happen without the guard. */
    private String otherwise() {
        return role == null ? "run without its lock" : "run on every node";
    }

    /** Returns true if the aspect of rowlock-aspects was woven into the method, which the weaver marks. */
    boolean isWoven() {
        return MergedAnnotations.from(method).isPresent("io.rowlock.aspects.Woven");
    }

    void rejectUnlessProxyable() {
        String callback = isAnnotatedItself() ? containerCall() : null;
        if (callback != null) {
            throw notIntercepted(callback, null);
        }
        if (Modifier.isPrivate(method.getModifiers())) {
            throw notIntercepted("the method is private", null);
        }
        if (Modifier.isStatic(method.getModifiers())) {
            throw notIntercepted("the method is static", null);
        }
    }

    /** Refuses methods of beans that contexts above this one have made, unless these have the advice. */
    static void rejectUnlessAdvised(ListableBeanFactory beans, GuardedMethods locks, LeaderOnlyAdvice leaders) {
        if (beans instanceof HierarchicalBeanFactory child
                && child.getParentBeanFactory() instanceof ListableBeanFactory above) {
            if (!above.containsBeanDefinition("rowlockAdvisor")) {
                AnnotatedMethods.classesOfOriginals(above)
                        .flatMap(beanClass -> in(beanClass, locks, leaders).stream())
                        .forEach(ProxiedMethod::rejectUnlessWoven);
            }
            rejectUnlessAdvised(above, locks, leaders);
        }
    }

    private void rejectUnlessWoven() {
        if (!isWoven()) {
            throw notIntercepted(
                    "its bean is one of a parent context, which has no advice for it",
                    "Let Rowlock's auto-configuration, or @EnableDistributedLocks, apply to the parent context as well, or move the bean into the child.");
        }
    }

    /** Returns why the container's call of the method on the bean itself is not intercepted, or null if there is none. */
    private @Nullable String containerCall() {
        MergedAnnotations annotations = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        if (annotations.isPresent(Bean.class)) {
            return "the container calls a @Bean method while it makes the bean";
        }
        return LIFE_CYCLE.stream().anyMatch(annotations::isPresent) || isCallback() ? LIFE_CYCLE_CALL : null;
    }

    /**
     * Refuses a method that the definition of its bean names as one to call first or last.
     *
     * @param callbacks the names of those
     */
    void rejectIfCallback(List<String> callbacks) {
        if (isAnnotatedItself() && method.getParameterCount() == 0 && callbacks.contains(method.getName())) {
            throw notIntercepted(LIFE_CYCLE_CALL, null);
        }
    }

    /** @param subclassed whether the proxy would be a subclass, though the class has interfaces */
    void rejectIfFinal(boolean subclassed) {
        if (Modifier.isFinal(beanClass.getModifiers())
                && !Proxy.isProxyClass(beanClass)
                && !ClassUtils.isLambdaClass(beanClass)
                && (subclassed || ClassUtils.getAllInterfacesForClass(beanClass).length == 0)) {
            throw notIntercepted("its class is final, and its proxy would be a subclass", kotlinRemedy());
        }
    }

    private boolean isCallback() {
        return Arrays.stream(ClassUtils.getAllInterfacesForClass(beanClass))
                .filter(type -> type == InitializingBean.class
                        || type == DisposableBean.class
                        || Aware.class.isAssignableFrom(type))
                .anyMatch(type -> ClassUtils.hasMethod(type, method.getName(), method.getParameterTypes()));
    }

    /** Refuses a bean as it is given to others, unless its proxy takes the lock of a call. */
    void rejectUnlessReachedBy(Object proxy) {
        int guards = guardsOf(proxy);
        if (guards > 1) {
            throw refused(
                    "its bean has a proxy in a proxy, and each would acquire its lock: the application has a second"
                            + " auto-proxy creator, or makes a proxy of another bean",
                    "Remove that, such as a DefaultAdvisorAutoProxyCreator, or call its setUsePrefix(true).");
        }
        if (guards == 0) {
            throw notIntercepted(
                    "its bean has no proxy that would: it is an aspect or other infrastructure, or a proxy of another"
                            + " maker, or an object given to registerSingleton, or was made before all proxies because a"
                            + " BeanPostProcessor or BeanFactoryPostProcessor needs it",
                    "Move the method into a bean of its own. Make the object in a @Bean method or with registerBean."
                            + " Inject into post-processors an ObjectProvider.");
        }
        if (Proxy.isProxyClass(beanClass)) {
            return; // all its methods are its interfaces'
        }
        if (AopUtils.isJdkDynamicProxy(proxy)) {
            // a method guarded because of its class only, and on no interface, cannot be called from outside
            if (isAnnotatedItself() && !isOnInterface(proxy.getClass())) {
                throw notIntercepted("the bean is proxied by its interfaces, and none of them has the method", null);
            }
        } else if (Modifier.isFinal(method.getModifiers())) {
            throw notIntercepted("the method is final", kotlinRemedy());
        } else if (isOfAnotherPackage()) {
            throw notIntercepted(
                    "the method is visible only in the package of %s, where its proxy is not"
                            .formatted(method.getDeclaringClass().getName()),
                    null);
        }
    }

    private boolean isOfAnotherPackage() {
        return (method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) == 0
                && !method.getDeclaringClass().getPackageName().equals(beanClass.getPackageName());
    }

    /** Returns how many layers of the bean have the advice; one if they do not tell what they have. */
    private int guardsOf(Object bean) {
        int guards = 0;
        Object layer = bean;
        while (layer instanceof Advised proxy) {
            guards += Arrays.stream(proxy.getAdvisors()).anyMatch(advisor -> isGuard(advisor)) ? 1 : 0;
            layer = AopProxyUtils.getSingletonTarget(proxy);
        }
        return guards == 0 && (layer == null || layer instanceof SpringProxy) ? 1 : guards;
    }

    private boolean isGuard(Advisor advisor) {
        return advisor instanceof DefaultPointcutAdvisor own && isGuard(own.getAdvice()) && applies(own);
    }

    private static boolean isGuard(Advice advice) {
        return advice instanceof LockInterceptor || advice instanceof LeaderOnlyAdvice;
    }

    private boolean isOnInterface(Class<?> proxyClass) {
        return Arrays.stream(ClassUtils.getAllInterfacesForClass(proxyClass))
                .flatMap(type -> Arrays.stream(type.getMethods()))
                .filter(declared -> declared.getName().equals(method.getName()))
                .anyMatch(declared ->
                        AopUtils.getMostSpecificMethod(declared, beanClass).equals(method));
    }

    /** Kotlin makes classes and methods final unless they are opened. */
    private @Nullable String kotlinRemedy() {
        boolean kotlin = Arrays.stream(beanClass.getAnnotations())
                .anyMatch(annotation -> annotation.annotationType().getName().equals("kotlin.Metadata"));
        return kotlin
                ? "Apply the Kotlin compiler plugin kotlin-spring (kotlin(\"plugin.spring\") in Gradle, <plugin>spring</plugin> in Maven),"
                        + " which opens the classes of Spring's annotations, or declare the class and the method open."
                : null;
    }

    /**
     * Looks at the methods of a class, and of all beans.
     *
     * @throws InvalidLockAnnotationException that names all methods without the aspect
     */
    static void rejectUnlessAllWoven(
            List<ProxiedMethod> seen, ListableBeanFactory beans, GuardedMethods locks, LeaderOnlyAdvice leaders) {
        Stream<ProxiedMethod> known =
                AnnotatedMethods.classesOfOriginals(beans).flatMap(type -> in(type, locks, leaders).stream());
        List<ProxiedMethod> missing = Stream.concat(seen.stream(), known)
                .filter(method -> !method.isWoven())
                .distinct()
                .toList();
        if (!missing.isEmpty()) {
            ProxiedMethod first = missing.get(0);
            String others = missing.stream()
                    .skip(1)
                    .map(method ->
                            method.beanClass().getName() + "." + method.method().getName())
                    .distinct()
                    .collect(Collectors.joining(", "));
            throw first.refused(
                    "the annotated method is not woven, so it would %s%s"
                            .formatted(first.otherwise(), others.isEmpty() ? "" : "; nor are " + others),
                    WEAVE);
        }
    }

    /** Refuses advice of a proxy that begins the transaction of a method, unless the proxy takes the lock before. */
    void rejectEarlierTransaction(Object bean) {
        Advisor[] advisors = bean instanceof Advised proxy ? proxy.getAdvisors() : new Advisor[0];
        Optional<Advice> first = Arrays.stream(advisors)
                .filter(this::applies)
                .map(Advisor::getAdvice)
                .filter(advice -> advice instanceof TransactionAspectSupport || isGuard(advice))
                .findFirst();
        if (first.isPresent() && !isGuard(first.get())) {
            throw refused(
                    "its proxy begins the transaction before the lock is taken, and would read what the last holder then changes",
                    "Begin transactions with @EnableTransactionManagement, whose order is greater than rowlock.aop.order, or weave them as well.");
        }
    }

    private boolean applies(Advisor advisor) {
        return advisor instanceof PointcutAdvisor pointcut
                && GuardedMethods.applies(pointcut.getPointcut(), method, beanClass);
    }

    private InvalidLockAnnotationException refused(String problem, @Nullable String remedy) {
        return new InvalidLockAnnotationException(beanClass, method, problem, remedy, null);
    }

    private InvalidLockAnnotationException notIntercepted(String why, @Nullable String remedy) {
        return refused(
                "no proxy can intercept the annotated method, so it would %s: %s".formatted(otherwise(), why), remedy);
    }
}
