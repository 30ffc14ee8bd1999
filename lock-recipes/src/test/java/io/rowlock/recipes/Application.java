package io.rowlock.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.test.database.TestSchema;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/** A node: an application with Rowlock, a recipe and its peers. */
public final class Application {
    private final TestSchema schema;
    private final Class<?>[] sources;
    private final Map<String, Object> properties = new LinkedHashMap<>();
    private WebApplicationType type = WebApplicationType.NONE;

    public Application(TestSchema schema, Class<?>... recipe) {
        this.schema = schema;
        sources = new Class<?>[recipe.length + 1];
        sources[0] = Root.class;
        System.arraycopy(recipe, 0, sources, 1, recipe.length);
        with("spring.datasource.url", schema.jdbcUrl());
        with("spring.datasource.username", schema.username());
        with("spring.datasource.password", schema.password());
        with("spring.main.banner-mode", "off");
        with("spring.jmx.enabled", "false");
        with("server.port", "0");
    }

    /** Names the peers that take part, by their packages. */
    public Application using(String... packages) {
        return with(NamedPeers.PROPERTY, String.join(",", packages));
    }

    public Application with(String property, Object value) {
        properties.put(property, value);
        return this;
    }

    /** Gives it connections of its own to the locks, as a router needs. */
    public Application withAddressOfLocks() {
        return with("rowlock.datasource.url", schema.jdbcUrl())
                .with("rowlock.datasource.username", schema.username())
                .with("rowlock.datasource.password", schema.password());
    }

    public Application withWeb() {
        type = WebApplicationType.SERVLET;
        return this;
    }

    public ConfigurableApplicationContext start() {
        return new SpringApplicationBuilder(sources)
                .web(type)
                .properties(properties)
                .run();
    }

    /** Ends the lease of a key, as if its holder had been paused for longer than the ttl. */
    public static void expire(TestSchema schema, String key) {
        assertThat(new JdbcTemplate(schema.dataSource())
                        .update("UPDATE rowlock_lock SET expires_at = '1970-01-01' WHERE lock_key = ?", (Object)
                                key.getBytes(StandardCharsets.UTF_8)))
                .isOne();
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Root {}
}
