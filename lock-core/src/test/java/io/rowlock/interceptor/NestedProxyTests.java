package io.rowlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rowlock.annotation.DistributedLock;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.target.HotSwappableTargetSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Beans that are proxies before they get the one that locks, as repositories are: only their interface has the annotation. */
class NestedProxyTests {
    @Test
    void annotationOfTheInterfaceCounts() {
        try (GuardedContext context = new GuardedContext(Proxies.class)) {
            context.bean(OnMethod.class).run("1");
            context.bean(OnClass.class).run();
            assertThat(context.client.log)
                    .containsExactly("lock method:1", "body", "release", "lock class", "body", "release");
        }
    }

    @Test
    void callWhoseAnnotationIsNotFoundIsRefused() {
        try (GuardedContext context = new GuardedContext(Swapped.class)) {
            Api api = context.bean(Api.class);
            api.run();
            Advised proxy = (Advised) api;
            HotSwappableTargetSource target = new HotSwappableTargetSource(new Plain());
            proxy.setTargetSource(target);
            assertThatIllegalStateException().isThrownBy(api::run).withMessageContaining("Plain has no annotation");
            assertThat(context.client.log).containsExactly("lock x", "release");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Proxies {
        @Bean
        OnMethod onMethod(RecordingLockClient client) {
            return proxy(OnMethod.class, client);
        }

        @Bean
        OnClass onClass(RecordingLockClient client) {
            return proxy(OnClass.class, client);
        }

        private static <T> T proxy(Class<T> api, RecordingLockClient client) {
            ProxyFactory factory = new ProxyFactory();
            factory.setTarget(new Implementation());
            factory.setInterfaces(api);
            factory.addAdvice((MethodInterceptor) call -> {
                client.log.add("body");
                return null;
            });
            return api.cast(factory.getProxy());
        }
    }

    /** Implements the methods without their annotations. */
    @SuppressWarnings("unused")
    static final class Implementation {
        public void run(String id) {}

        public void run() {}
    }

    interface OnMethod {
        @DistributedLock(name = "method", key = "#id")
        void run(String id);
    }

    @DistributedLock("class")
    interface OnClass {
        void run();
    }

    interface Api {
        void run();
    }

    static class Plain implements Api {
        @Override
        public void run() {}
    }

    static class Swapped implements Api {
        @Override
        @DistributedLock("x")
        public void run() {}
    }
}
