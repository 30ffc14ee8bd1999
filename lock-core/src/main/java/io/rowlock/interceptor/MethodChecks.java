package io.rowlock.interceptor;

import io.rowlock.LockClient;
import io.rowlock.client.RowlockClient;
import io.rowlock.interceptor.LockInterceptorConfiguration.Guards;
import io.rowlock.leader.LeaderElections;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.scheduling.config.TaskManagementConfigUtils;
import org.springframework.util.ClassUtils;

/**
 * Stops the start when an annotated method would run without its lock, could never get one, or would run on nodes that do not
 * lead. Looks at each bean as it is made, and makes none; what other beans know is asked when all singletons are there. Has the
 * node stand for the roles that its beans have methods for. It is infrastructure, so that factories of targets, which make no proxies,
 * have it not.
 */
final class MethodChecks
        implements SmartInstantiationAwareBeanPostProcessor, SmartInitializingSingleton, AopInfrastructureBean {
    private final ConfigurableListableBeanFactory beans;
    private final GuardedMethods methods;
    private final TransactionLockAdvice transactions;
    private final LockNames names;
    private final WovenLocks woven;
    private final AdviceMode mode;

    private final Map<Class<?>, List<ProxiedMethod>> checked = new ConcurrentHashMap<>();

    /** The classes of which other beans were asked, too. */
    private final Set<Class<?>> finished = ConcurrentHashMap.newKeySet();

    /** Holds what others were given, by the name of a bean that was not made yet: its proxy, while the bean itself stays what it is. */
    private final Map<String, Object> early = new ConcurrentHashMap<>();

    private volatile boolean started;

    MethodChecks(Guards guards, WovenLocks woven) {
        this.beans = guards.beans();
        this.methods = guards.methods();
        this.transactions = guards.locks().transactions();
        this.names = new LockNames(guards.settings());
        this.woven = woven;
        this.mode = guards.settings().mode();
    }

    @Override
    public Object getEarlyBeanReference(Object bean, String beanName) {
        if (!methodsOf(bean).isEmpty()) {
            early.put(beanName, bean);
        }
        return bean;
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String beanName) {
        List<ProxiedMethod> methods = noted(bean, beanName);
        if (mode == AdviceMode.PROXY && !methods.isEmpty()) {
            BeanDefinition definition = beans.containsBeanDefinition(beanName)
                    ? beans.getMergedBeanDefinition(beanName)
                    : new RootBeanDefinition();
            methods.forEach(method -> {
                method.rejectIfCallback(callbacks(definition));
                method.rejectIfFinal(isSubclassed(definition));
            });
        }
        return bean;
    }

    /** Returns true if the proxy of a bean is a subclass, though the bean has interfaces. */
    private boolean isSubclassed(BeanDefinition definition) {
        return definition.getAttribute(AutoProxyUtils.EXPOSED_INTERFACES_ATTRIBUTE) == null
                && (Boolean.TRUE.equals(definition.getAttribute(AutoProxyUtils.PRESERVE_TARGET_CLASS_ATTRIBUTE))
                        || beans.getBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME, ProxyConfig.class)
                                .isProxyTargetClass());
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        List<ProxiedMethod> methods = noted(bean, beanName); // its proxy: a final method is called on that
        Object given = early.remove(beanName);
        if (!methods.isEmpty() || given != null || bean instanceof Advised) {
            rejectUnlessGuarded(given == null ? bean : given);
        }
        return bean;
    }

    private static List<String> callbacks(BeanDefinition definition) {
        return !(definition instanceof AbstractBeanDefinition bean)
                ? List.of()
                : Stream.of(bean.getInitMethodNames(), bean.getDestroyMethodNames())
                        .filter(Objects::nonNull)
                        .flatMap(Arrays::stream)
                        .flatMap(name -> AbstractBeanDefinition.INFER_METHOD.equals(name)
                                ? Stream.of("close", "shutdown")
                                : Stream.of(name))
                        .toList();
    }

    private void rejectUnlessGuarded(Object bean) {
        ProxiedMethod.layers(bean).flatMap(layer -> methodsOf(layer).stream()).forEach(method -> {
            if (mode == AdviceMode.PROXY) {
                method.rejectUnlessReachedBy(bean);
            }
            method.rejectEarlierTransaction(bean);
        });
    }

    private List<ProxiedMethod> noted(Object bean, String beanName) {
        List<ProxiedMethod> methods = methodsOf(bean);
        if (!methods.isEmpty()) {
            // A bean that is made apart from the container, as Quartz makes its jobs, has no definition
            String name = beans.containsBeanDefinition(beanName) ? beanName : "";
            methods.forEach(method -> names.rejectSecondJob(method, name));
            if (WovenLocks.ASPECT_PRESENT && beans.containsBean(beanName) && beans.isSingleton(beanName)) {
                woven.note(bean);
            }
        }
        return methods;
    }

    private List<ProxiedMethod> methodsOf(Object bean) {
        if (bean instanceof AopInfrastructureBean && AopUtils.isAopProxy(bean)) {
            return List.of(); // a scoped proxy would have to make its target to tell its class; the target is looked at
            // itself
        }
        return check(ClassUtils.getUserClass(AopUtils.getTargetClass(bean)));
    }

    private List<ProxiedMethod> check(Class<?> beanClass) {
        List<ProxiedMethod> all = checked.get(beanClass);
        if (all == null) {
            all = methods.in(beanClass);
            all.forEach(
                    mode == AdviceMode.PROXY ? ProxiedMethod::rejectUnlessProxyable : ProxiedMethod::rejectUnlessWoven);
            checked.put(beanClass, all); // before the question: the start may end meanwhile
        }
        // Each thread asks until it was answered: the next bean is refused as well
        if (started && !finished.contains(beanClass)) {
            all.forEach(this::finish);
            finished.add(beanClass);
        }
        return all;
    }

    @Override
    public void afterSingletonsInstantiated() {
        for (String name : AnnotatedBeans.namesOfOriginals(beans).toList()) {
            if (beans.containsSingleton(name)
                    && AnnotatedBeans.beanClass(beans, name).isPresent()
                    && beans.isSingleton(name)) {
                postProcessAfterInitialization(beans.getBean(name), name);
            }
        }
        started = true;
        checked.keySet().forEach(this::check);
        if (mode == AdviceMode.ASPECTJ) {
            AnnotatedBeans.classesOfOriginals(beans).forEach(this::check);
        }
        ProxiedMethod.rejectUnlessAdvised(beans, methods);
        RowlockClient client = beans.getBeanProvider(RowlockClient.class).getIfAvailable();
        names.warn(
                methods.readable(beans),
                client == null ? "the default" : client.settings().strategy());
    }

    /** Asks what other beans know of a method. */
    private void finish(ProxiedMethod method) {
        if (mode == AdviceMode.PROXY
                && beans.containsBean(TaskManagementConfigUtils.ASYNC_EXECUTION_ASPECT_BEAN_NAME)) {
            method.rejectIfAsync();
        }
        try {
            if (method.lock() != null) {
                validate(method, method.lock());
            }
            if (method.role() != null) {
                stand(method.role());
            }
        } catch (IllegalArgumentException wrong) {
            throw method.refused(String.valueOf(wrong.getMessage()), null, wrong);
        }
    }

    private void validate(ProxiedMethod method, GuardedMethod lock) {
        transactions.check(lock, mode);
        if (BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, LockClient.class).length == 0) {
            throw method.refused(
                    "there is no LockClient to acquire its lock %s"
                            .formatted(lock.sample().keys()),
                    "Give the application a DataSource of MySQL or MariaDB (spring.datasource.url), declare a"
                            + " LockClient bean, or set rowlock.enabled=false to run annotated methods without locks.",
                    null);
        }
        beans.getBeanProvider(RowlockClient.class).ifAvailable(client -> client.validate(lock.sample()));
    }

    private void stand(String role) {
        LeaderElections available = beans.getBeanProvider(LeaderElections.class).getIfAvailable();
        if (available == null) {
            throw new IllegalArgumentException(
                    "there is no LeaderElections bean, so no node would lead; a DataSource of MySQL or MariaDB is needed,"
                            + " or rowlock.enabled=false to run the method on every node");
        }
        available.of(role);
    }
}
