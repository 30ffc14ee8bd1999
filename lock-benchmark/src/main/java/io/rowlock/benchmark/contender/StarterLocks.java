package io.rowlock.benchmark.contender;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rowlock.LockClient;
import io.rowlock.benchmark.server.Servers;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Rowlock as the starter configures it: with the fence, the lock log and events. */
final class StarterLocks implements Locks {
    private final ConfigurableApplicationContext application;
    private final LockClient client;

    private StarterLocks(ConfigurableApplicationContext application) {
        this.application = application;
        this.client = application.getBean(LockClient.class);
    }

    static StarterLocks onDatabase(Servers servers, int threads, String strategy) {
        return onDatabase(servers, threads, strategy, Alone.class);
    }

    /** As {@link #onDatabase}, with a registry of meters. */
    static StarterLocks metered(Servers servers, int threads, String strategy) {
        return onDatabase(servers, threads, strategy, Metered.class);
    }

    /** As {@link #onDatabase}, without the lock log. */
    static StarterLocks unlogged(Servers servers, int threads, String strategy) {
        return new StarterLocks(StarterApplication.onDatabase(
                servers, threads, Alone.class, "rowlock.strategy=" + strategy, "rowlock.log.mode=off"));
    }

    private static StarterLocks onDatabase(Servers servers, int threads, String strategy, Class<?> beans) {
        return new StarterLocks(StarterApplication.onDatabase(servers, threads, beans, "rowlock.strategy=" + strategy));
    }

    static StarterLocks onRedis(Servers servers) {
        return new StarterLocks(StarterApplication.onRedis(servers, Alone.class));
    }

    @Override
    public Worker worker() {
        return new ClientWorker(client);
    }

    @Override
    public void close() {
        application.close();
    }

    @Configuration(proxyBeanMethods = false)
    static class Alone {}

    @Configuration(proxyBeanMethods = false)
    static class Metered {
        @Bean
        MeterRegistry meterRegistry() {
            return new SimpleMeterRegistry();
        }
    }
}
