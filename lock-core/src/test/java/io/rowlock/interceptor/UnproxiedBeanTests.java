package io.rowlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.annotation.DistributedLock;
import io.rowlock.annotation.InvalidLockAnnotationException;
import org.aopalliance.aop.Advice;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.Ordered;

/** Annotated beans that get no proxy, so that nothing would take their locks. */
class UnproxiedBeanTests {
    @Test
    void beanThatAPostProcessorNeedsIsRefused() {
        for (Class<?> early : new Class<?>[] {EarlyBean.class, EarlyProduct.class}) {
            refused(early, "Job.run()", "has no proxy", "BeanPostProcessor");
        }
    }

    @Test
    void infrastructureIsRefused() {
        refused(AnnotatedAdvice.class, "AnnotatedAdvice.run()", "infrastructure");
        refused(Infrastructure.class, "Infrastructure.run()", "infrastructure");
    }

    @Test
    void registeredObjectIsRefused() {
        try (var context = new AnnotationConfigApplicationContext()) {
            context.registerBean(RecordingLockClient.class, RecordingLockClient::new);
            context.register(GuardedContext.Locks.class);
            context.getBeanFactory().registerSingleton("job", new Job());
            assertThatExceptionOfType(InvalidLockAnnotationException.class)
                    .isThrownBy(context::refresh)
                    .withMessageContainingAll("Job.run()", "has no proxy", "registerSingleton")
                    .satisfies(thrown -> assertThat(thrown.remedy())
                            .hasValueSatisfying(remedy -> assertThat(remedy).contains("@Bean")));
        }
    }

    /** The compiler gives such a class a bridge for each public method that it inherits. */
    @Test
    void methodOfAHiddenBaseClassIsLookedAt() {
        try (var context = new AnnotationConfigApplicationContext()) {
            context.registerBean(RecordingLockClient.class, RecordingLockClient::new);
            context.register(GuardedContext.Locks.class);
            context.getBeanFactory().registerSingleton("job", new InheritingJob());
            assertThatExceptionOfType(InvalidLockAnnotationException.class)
                    .isThrownBy(context::refresh)
                    .withMessageContainingAll("InheritingJob.run()", "has no proxy");
        }
    }

    abstract static class HiddenBase {
        @DistributedLock("x")
        public void run() {}
    }

    public static class InheritingJob extends HiddenBase {}

    @Test
    void registeredProxyIsLocked() {
        try (var context = new AnnotationConfigApplicationContext()) {
            RecordingLockClient client = new RecordingLockClient();
            context.registerBean(RecordingLockClient.class, () -> client);
            context.register(GuardedContext.Locks.class);
            context.registerBean(
                    SmartInitializingSingleton.class,
                    () -> () -> context.getBeanFactory()
                            .registerSingleton("job", context.getBeanFactory().initializeBean(new Job(), "job")));
            context.refresh();
            context.getBean(Job.class).run();
            assertThat(client.log).containsExactly("lock x", "release");
        }
    }

    @Test
    void registeredObjectOfAParentContextIsRefused() {
        try (var parent = new AnnotationConfigApplicationContext();
                var child = new AnnotationConfigApplicationContext()) {
            parent.getBeanFactory().registerSingleton("job", new Job());
            parent.refresh();
            child.setParent(parent);
            child.registerBean(RecordingLockClient.class, RecordingLockClient::new);
            child.register(GuardedContext.Locks.class);
            assertThatExceptionOfType(InvalidLockAnnotationException.class)
                    .isThrownBy(child::refresh)
                    .withMessageContainingAll("Job.run()", "parent context");
        }
    }

    @Test
    void targetOfAProxyThatHidesItsAnnotationIsRefused() {
        refused(Hidden.class, "HiddenTarget.run()", "a proxy of another maker");
    }

    /** Of a permit the inner proxy would need a second one. */
    @Test
    void beanThatIsAdvisedTwiceIsRefused() {
        refused(SecondCreator.class, "Job.run()", "a second auto-proxy creator");
        try (GuardedContext context = new GuardedContext(SecondCreatorOfOthers.class)) {
            context.bean(Job.class).run();
            assertThat(context.client.log).containsExactly("lock x", "release");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class SecondCreator {
        @Bean
        static DefaultAdvisorAutoProxyCreator second() {
            DefaultAdvisorAutoProxyCreator second = new DefaultAdvisorAutoProxyCreator();
            second.setProxyTargetClass(true);
            return second;
        }

        @Bean
        Job job() {
            return new Job();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class SecondCreatorOfOthers {
        @Bean
        static DefaultAdvisorAutoProxyCreator second() {
            DefaultAdvisorAutoProxyCreator second = SecondCreator.second();
            second.setUsePrefix(true);
            return second;
        }

        @Bean
        Job job() {
            return new Job();
        }
    }

    @Test
    void beanOfAParentContextWithoutAdviceIsRefused() {
        assertThatExceptionOfType(InvalidLockAnnotationException.class)
                .isThrownBy(() -> childOf(Job.class))
                .withMessageContainingAll("Job.run()", "would run without its lock", "parent context");
    }

    @Test
    void beanOfAParentContextWithAdviceIsLocked() {
        try (var child = childOf(Job.class, GuardedContext.Locks.class, RecordingLockClient.class)) {
            child.getBean(Job.class).run();
            assertThat(child.getBean(RecordingLockClient.class).log).containsExactly("lock x", "release");
        }
    }

    private static AnnotationConfigApplicationContext childOf(Class<?>... components) {
        var child = new AnnotationConfigApplicationContext();
        child.setParent(new AnnotationConfigApplicationContext(components));
        child.register(GuardedContext.Locks.class);
        child.refresh();
        return child;
    }

    @Test
    void beanThatAPostProcessorAsksForLaterIsLocked() {
        try (GuardedContext context = new GuardedContext(AskedLater.class)) {
            context.bean(Job.class).run();
            assertThat(context.client.log).containsExactly("lock x", "release");
        }
    }

    @Test
    void beansThatNeedEachOtherAreLocked() {
        for (boolean lazy : new boolean[] {false, true}) {
            try (var context = new AnnotationConfigApplicationContext()) {
                ((DefaultListableBeanFactory) context.getBeanFactory()).setAllowCircularReferences(true);
                RecordingLockClient client = new RecordingLockClient();
                context.registerBean(RecordingLockClient.class, () -> client);
                context.register(GuardedContext.Locks.class, One.class, Other.class);
                for (String name : context.getBeanDefinitionNames()) {
                    if (name.startsWith("unproxiedBeanTests")) {
                        context.getBeanDefinition(name).setLazyInit(lazy);
                    }
                }
                context.refresh();
                context.getBean(One.class).run();
                context.getBean(Other.class).one.run();
                assertThat(client.log).containsExactly("lock x", "release", "lock x", "release");
            }
        }
    }

    private static void refused(Class<?> component, String... parts) {
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> new GuardedContext(component).close())
                .satisfies(thrown -> assertThat(NestedExceptionUtils.getMostSpecificCause(thrown))
                        .isInstanceOf(InvalidLockAnnotationException.class)
                        .hasMessageContainingAll(parts));
    }

    static class Job {
        @DistributedLock("x")
        public void run() {}
    }

    private record Early(Object bean) implements BeanPostProcessor, Ordered {
        @Override
        public int getOrder() {
            return LOWEST_PRECEDENCE;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class EarlyBean {
        @Bean
        static Job job() {
            return new Job();
        }

        @Bean
        static Early early(Job job) {
            return new Early(job);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class EarlyProduct {
        @Bean
        static FactoryBean<Job> job() {
            return new FactoryBean<>() {
                @Override
                public Job getObject() {
                    return new Job();
                }

                @Override
                public Class<?> getObjectType() {
                    return Job.class;
                }
            };
        }

        @Bean
        static Early early(Job job) {
            return new Early(job);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class AskedLater {
        @Bean
        static Job job() {
            return new Job();
        }

        @Bean
        static Early early(ObjectProvider<Job> job) {
            return new Early(job);
        }
    }

    static class AnnotatedAdvice implements Advice {
        @DistributedLock("x")
        public void run() {}
    }

    static class Infrastructure implements AopInfrastructureBean {
        @DistributedLock("x")
        public void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Hidden {
        @Bean
        Runnable hidden() {
            return (Runnable) new ProxyFactory(new HiddenTarget()).getProxy();
        }
    }

    static class HiddenTarget implements Runnable {
        @Override
        @DistributedLock("x")
        public void run() {}
    }

    static class One {
        @Autowired
        Other other;

        @DistributedLock("x")
        public void run() {}
    }

    static class Other {
        final One one;

        Other(One one) {
            this.one = one;
        }
    }
}
