package io.rowlock.interceptor;

import io.rowlock.client.RowlockClient;
import io.rowlock.leader.LeaderElections;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.util.ClassUtils;

/**
 * Stops the start when an annotated method would run without its lock, could never get one, or would run on nodes that do not
 * lead. Looks at each bean as it is made, and makes none; what other beans know is asked when all singletons are there. Has the
 * node stand for the roles that its beans have methods for. It is infrastructure, so that factories of targets, which make no proxies,
 * have it not.
 */
final class MethodChecks
        implements SmartInstantiationAwareBeanPostProcessor, SmartInitializingSingleton, AopInfrastructureBean {
    private final GuardedMethods locks;
    private final LeaderOnlyAdvice leaders;
    private final TransactionLockAdvice transactions;
    private final LockNames names;
    private final ObjectProvider<RowlockClient> rowlockClients;
    private final ObjectProvider<LeaderElections> elections;
    private final WovenLocks woven;
    private final AdviceMode mode;

    /** The beans that were checked as they were made, until the start has ended: others were made before the checks. */
    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    private final Map<Class<?>, List<ProxiedMethod>> checked = new ConcurrentHashMap<>();

    /** Holds what others were given, by the name of a bean that was not made yet: its proxy, while the bean itself stays what it is. */
    private final Map<String, Object> early = new ConcurrentHashMap<>();

    private final Queue<Runnable> unfinished = new ConcurrentLinkedQueue<>();
    private volatile boolean started;

    MethodChecks(
            GuardedMethods locks,
            LeaderOnlyAdvice leaders,
            TransactionLockAdvice transactions,
            LockNames names,
            ObjectProvider<RowlockClient> rowlockClients,
            ObjectProvider<LeaderElections> elections,
            WovenLocks woven,
            AdviceMode mode) {
        this.locks = locks;
        this.leaders = leaders;
        this.transactions = transactions;
        this.names = names;
        this.rowlockClients = rowlockClients;
        this.elections = elections;
        this.woven = woven;
        this.mode = mode;
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
        note(bean, beanName);
        List<ProxiedMethod> methods = mode == AdviceMode.PROXY ? methodsOf(bean) : List.of();
        if (!methods.isEmpty()) {
            List<String> callbacks = callbacks(locks.definition(beanName));
            methods.forEach(method -> method.rejectIfCallback(callbacks));
        }
        return bean;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        note(bean, beanName); // its proxy: a final method is called on that
        Object given = early.remove(beanName);
        rejectUnlessGuarded(given == null ? bean : given);
        return bean;
    }

    private static List<String> callbacks(@Nullable AbstractBeanDefinition definition) {
        return definition == null
                ? List.of()
                : Stream.of(definition.getInitMethodNames(), definition.getDestroyMethodNames())
                        .filter(Objects::nonNull)
                        .flatMap(Arrays::stream)
                        .flatMap(name -> AbstractBeanDefinition.INFER_METHOD.equals(name)
                                ? Stream.of("close", "shutdown")
                                : Stream.of(name))
                        .toList();
    }

    private void rejectUnlessGuarded(Object bean) {
        if (mode == AdviceMode.ASPECTJ) {
            methodsOf(bean).forEach(method -> method.rejectEarlierTransaction(bean));
            return;
        }
        for (Object layer = bean; layer != null; layer = AopProxyUtils.getSingletonTarget(layer)) {
            methodsOf(layer).forEach(method -> method.rejectUnlessReachedBy(bean));
        }
    }

    private void note(Object bean, String beanName) {
        if (methodsOf(bean).isEmpty()) {
            return;
        }
        rejectSecondJobs(bean, beanName);
        if (!started) {
            seen.add(beanName);
        }
        if (WovenLocks.ASPECT_PRESENT && locks.isSingleton(beanName)) {
            woven.note(bean);
        }
    }

    private void rejectSecondJobs(Object bean, String beanName) {
        methodsOf(bean).stream()
                .flatMap(each -> Stream.ofNullable(locks.find(each.method(), each.beanClass())))
                .forEach(method -> names.rejectSecondJob(method, locks.definition(beanName) == null ? "" : beanName));
    }

    private List<ProxiedMethod> methodsOf(Object bean) {
        if (bean instanceof AopInfrastructureBean && AopUtils.isAopProxy(bean)) {
            return List.of(); // a scoped proxy would have to make its target to tell its class; the target is looked at
            // itself
        }
        Class<?> beanClass = ClassUtils.getUserClass(AopUtils.getTargetClass(bean));
        List<ProxiedMethod> known = checked.get(beanClass);
        return known == null ? check(beanClass) : known;
    }

    private List<ProxiedMethod> check(Class<?> beanClass) {
        List<GuardedMethod> locked = locks.in(beanClass);
        List<ProxiedMethod> led = leaders.in(beanClass);
        List<ProxiedMethod> all = ProxiedMethod.in(beanClass, locks, leaders);
        if (mode == AdviceMode.PROXY) {
            all.forEach(ProxiedMethod::rejectUnlessProxyable);
        } else if (!all.stream().allMatch(ProxiedMethod::isWoven)) {
            ProxiedMethod.rejectUnlessAllWoven(all, locks, leaders);
        }
        locked.forEach(GuardedMethod::rejectUnlessGuardable);
        if (checked.putIfAbsent(beanClass, all) == null) {
            locked.forEach(method -> unfinished.add(() -> validate(method)));
            led.forEach(method -> unfinished.add(() -> stand(method)));
        }
        if (started) {
            finish();
        }
        return all;
    }

    @Override
    public void afterSingletonsInstantiated() {
        locks.madeSingletons(name -> !seen.contains(name)).forEach((name, bean) -> {
            rejectUnlessGuarded(bean);
            rejectSecondJobs(bean, name);
        });
        started = true;
        finish();
        if (mode == AdviceMode.ASPECTJ) {
            ProxiedMethod.rejectUnlessAllWoven(List.of(), locks, leaders);
        }
        ProxiedMethod.rejectUnlessAdvised(locks.beans(), locks, leaders);
        names.warn(locks);
    }

    private void finish() {
        for (Runnable next = unfinished.poll(); next != null; next = unfinished.poll()) {
            next.run();
        }
    }

    private void validate(GuardedMethod method) {
        String refusal = transactions.refusal(method, mode == AdviceMode.ASPECTJ && !locks.areTransactionsProxied());
        if (refusal != null) {
            throw locks.refused(method, refusal, null);
        }
        if (!locks.haveClient()) {
            throw method.refused(
                    "there is no LockClient to acquire its lock %s"
                            .formatted(method.operation().sampleRequest().keys()),
                    "Give the application a DataSource of MySQL or MariaDB (spring.datasource.url), declare a"
                            + " LockClient bean, or set rowlock.enabled=false to run annotated methods without locks.",
                    null);
        }
        try {
            rowlockClients.ifAvailable(
                    client -> client.validate(method.operation().sampleRequest()));
        } catch (IllegalArgumentException failure) {
            throw locks.refused(method, String.valueOf(failure.getMessage()), failure);
        }
    }

    private void stand(ProxiedMethod led) {
        LeaderElections available = elections.getIfAvailable();
        String role = leaders.role(led.method(), led.beanClass());
        if (available == null || role == null) {
            throw led.refused(
                    "there is no LeaderElections bean, so no node would lead; a DataSource of MySQL or MariaDB is needed,"
                            + " or rowlock.enabled=false to run the method on every node",
                    null,
                    null);
        }
        try {
            available.of(role);
        } catch (IllegalArgumentException failure) {
            throw led.refused(String.valueOf(failure.getMessage()), null, failure);
        }
    }
}
