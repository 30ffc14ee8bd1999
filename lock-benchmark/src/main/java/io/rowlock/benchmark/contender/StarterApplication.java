package io.rowlock.benchmark.contender;

import io.rowlock.benchmark.server.Servers;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** Starts applications whose locks the starter configures. What is not said here has its default: the fence, the log and the events. */
public final class StarterApplication {
    private static final List<String> QUIET = List.of(
            "spring.main.banner-mode=off",
            "spring.main.log-startup-info=false",
            "spring.main.register-shutdown-hook=false",
            "rowlock.schema.initialize=never",
            "rowlock.wait-time=" + Locks.PATIENCE_SECONDS + "s");

    private StarterApplication() {}

    /**
     * Starts an application with a DataSource.
     *
     * @param servers where its database is
     * @param threads how many of its threads hold a lock at once
     * @param beans a configuration class
     * @param properties what differs from the defaults
     * @return the running application
     */
    public static ConfigurableApplicationContext onDatabase(
            Servers servers, int threads, Class<?> beans, String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "spring.datasource.url=" + servers.jdbcUrl(),
                "spring.datasource.username=" + servers.username(),
                "spring.datasource.password=" + servers.password(),
                "spring.datasource.hikari.maximum-pool-size=" + threads,
                "spring.datasource.hikari.minimum-idle=0",
                "rowlock.pool.size=" + threads,
                "rowlock.redis.enabled=false"));
        Collections.addAll(all, properties);
        return start(beans, all);
    }

    /** Starts an application without a DataSource, whose locks are in Redis. */
    static ConfigurableApplicationContext onRedis(Servers servers, Class<?> beans) {
        return start(
                beans,
                List.of(
                        "spring.autoconfigure.exclude="
                                + "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
                        "spring.data.redis.url=" + servers.requiredRedisUrl(),
                        "rowlock.strategy=redis"));
    }

    private static ConfigurableApplicationContext start(Class<?> beans, List<String> properties) {
        List<String> all = new ArrayList<>(QUIET);
        all.addAll(properties);
        return new SpringApplicationBuilder(WithStarter.class, beans)
                .web(WebApplicationType.NONE)
                .properties(all.toArray(String[]::new))
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WithStarter {}
}
