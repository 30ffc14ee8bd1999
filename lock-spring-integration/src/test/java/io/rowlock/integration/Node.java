package io.rowlock.integration;

import io.rowlock.LockClient;
import io.rowlock.test.database.TestSchema;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** An application with Rowlock. */
record Node(ConfigurableApplicationContext context, Consumer<String> expiry) implements AutoCloseable {

    /** @param expiry makes the lock of a name end, as if its node had been dead for its ttl */
    static Node start(TestSchema schema, Map<String, Object> settings, Consumer<String> expiry, Class<?>... more) {
        Map<String, Object> all = new LinkedHashMap<>(Map.of(
                "spring.datasource.url", schema.jdbcUrl(),
                "spring.datasource.username", schema.username(),
                "spring.datasource.password", schema.password(),
                "spring.main.banner-mode", "off",
                "spring.flyway.enabled", "false"));
        all.putAll(settings);
        return new Node(
                new SpringApplicationBuilder(Application.class)
                        .sources(more)
                        .web(WebApplicationType.NONE)
                        .properties(all)
                        .run(),
                expiry);
    }

    LockClient locks() {
        return context.getBean(LockClient.class);
    }

    RowlockLockRegistry registry() {
        return new RowlockLockRegistry(locks());
    }

    void expire(String name) {
        expiry.accept(name);
    }

    @Override
    public void close() {
        context.close();
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
