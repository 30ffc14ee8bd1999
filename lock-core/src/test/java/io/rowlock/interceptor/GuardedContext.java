package io.rowlock.interceptor;

import java.util.Map;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.MapPropertySource;

/** A small application with the interceptor and a recording client. */
final class GuardedContext implements AutoCloseable {
    final RecordingLockClient client = new RecordingLockClient();
    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

    GuardedContext(Class<?>... components) {
        this(Map.of(), components);
    }

    GuardedContext(Map<String, Object> properties, Class<?>... components) {
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", properties));
        context.registerBean(RecordingLockClient.class, () -> client, bean -> bean.setPrimary(true));
        // last, so that no order of advisors is owed to the order of their registration
        context.register(components);
        context.register(Locks.class);
        context.refresh();
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    ConfigurableListableBeanFactory beans() {
        return context.getBeanFactory();
    }

    @Override
    public void close() {
        context.close();
    }

    @Configuration(proxyBeanMethods = false)
    @Import(LockInterceptorConfiguration.class)
    static class Locks {}
}
