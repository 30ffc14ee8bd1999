package io.rowlock.interceptor;

import io.rowlock.annotation.InvalidLockAnnotationException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.util.ClassUtils;

/**
 * A method of a bean that a proxy has to guard, and whether one can.
 *
 * @param lock acquires its lock; null if it has none
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
    static void rejectUnlessAdvised(ConfigurableListableBeanFactory beans, GuardedMethods methods) {
        if (beans.getParentBeanFactory() instanceof ConfigurableListableBeanFactory above) {
            if (!above.containsBeanDefinition("rowlockAdvisor")) {
                AnnotatedBeans.classesOfOriginals(above)
                        .flatMap(beanClass -> methods.in(beanClass).stream())
                        .filter(method -> !method.isWoven())
                        .forEach(ProxiedMethod::rejectOfParent);
            }
            rejectUnlessAdvised(above, methods);
        }
    }

    private void rejectOfParent() {
        throw notIntercepted(
                "its bean is one of a parent context, which has no advice for it",
                "Let Rowlock's auto-configuration apply to the parent context as well, or move the bean into the child.");
    }

    void rejectUnlessWoven() {
        if (!isWoven()) {
            throw refused("the annotated method is not woven, so it would " + otherwise(), WEAVE, null);
        }
    }

    /** Refuses a method whose aspect, inside of its proxy, has another thread do the work. A future tells when that ends. */
    void rejectIfAsync() {
        if (method.getReturnType() == void.class
                && (AnnotatedElementUtils.hasAnnotation(method, Async.class)
                        || AnnotatedElementUtils.hasAnnotation(beanClass, Async.class))) {
            throw refused(
                    "its @Async is woven, so its work would go on after its proxy has released the lock",
                    "Weave the method with rowlock-aspects as well, and set rowlock.aop.mode=aspectj. Or let @EnableAsync use proxies, or return CompletableFuture.",
                    null);
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
            throw notIntercepted("its class is final (in Kotlin: not open), and its proxy would be a subclass", null);
        }
    }

    private boolean isCallback() {
        return Arrays.stream(ClassUtils.getAllInterfacesForClass(beanClass))
                .filter(type -> type == InitializingBean.class
                        || type == DisposableBean.class
                        || Aware.class.isAssignableFrom(type))
                .anyMatch(type -> ClassUtils.hasMethod(type, method.getName(), method.getParameterTypes()));
    }

    /** Refuses a bean as it is given to others, unless its proxy acquires the lock of a call. */
    void rejectUnlessReachedBy(Object proxy) {
        long guards = advisorsOf(proxy).filter(ProxiedMethod::isGuard).count();
        if (guards > 1) {
            throw refused(
                    "its bean has a proxy in a proxy, and each would acquire its lock: the application has a second"
                            + " auto-proxy creator, or makes a proxy of another bean",
                    "Remove that, such as a DefaultAdvisorAutoProxyCreator, or call its setUsePrefix(true).",
                    null);
        }
        if (guards == 0
                && layers(proxy)
                        .reduce((outer, inner) -> inner)
                        .filter(SpringProxy.class::isInstance)
                        .isEmpty()) {
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
            throw notIntercepted("the method is final (in Kotlin: not open)", null);
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

    /** Returns a bean and what its proxies stand for, as far as these tell. */
    static Stream<Object> layers(Object bean) {
        return Stream.<@Nullable Object>iterate(bean, Objects::nonNull, AopProxyUtils::getSingletonTarget)
                .map(Objects::requireNonNull);
    }

    /** Returns the advisors that a call of the bean meets, from outside. */
    private Stream<Advisor> advisorsOf(Object bean) {
        return layers(bean)
                .flatMap(layer -> layer instanceof Advised proxy ? Arrays.stream(proxy.getAdvisors()) : Stream.empty())
                .filter(advisor -> advisor instanceof PointcutAdvisor pointcut
                        && GuardedMethods.applies(pointcut.getPointcut(), method, beanClass));
    }

    private static boolean isGuard(Advisor advisor) {
        return advisor.getAdvice() instanceof LockInterceptor;
    }

    private boolean isOnInterface(Class<?> proxyClass) {
        return Arrays.stream(ClassUtils.getAllInterfacesForClass(proxyClass))
                .flatMap(type -> Arrays.stream(type.getMethods()))
                .filter(declared -> declared.getName().equals(method.getName()))
                .anyMatch(declared ->
                        AopUtils.getMostSpecificMethod(declared, beanClass).equals(method));
    }

    /** Refuses advice of a proxy that begins the transaction of a method, unless the proxy acquires the lock before. */
    void rejectEarlierTransaction(Object bean) {
        boolean earlier = advisorsOf(bean)
                .takeWhile(advisor -> !isGuard(advisor))
                .anyMatch(advisor -> advisor.getAdvice() instanceof TransactionAspectSupport);
        if (earlier) {
            throw refused(
                    "its proxy begins the transaction before the lock is acquired, and would read what the last holder then changes",
                    "Set rowlock.aop.order to less than the order of @EnableTransactionManagement, or that to a greater one. A woven lock needs transactions of @EnableTransactionManagement, or woven ones.",
                    null);
        }
    }

    InvalidLockAnnotationException refused(String problem, @Nullable String remedy, @Nullable Throwable cause) {
        return new InvalidLockAnnotationException(beanClass, method, problem, remedy, cause);
    }

    private InvalidLockAnnotationException notIntercepted(String why, @Nullable String remedy) {
        return refused(
                "no proxy can intercept the annotated method, so it would %s: %s".formatted(otherwise(), why),
                remedy,
                null);
    }
}
