package io.rowlock.sample.stage;

import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.ServerFlavor;
import io.rowlock.test.database.TestSchema;
import io.rowlock.test.redis.RedisServer;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.util.StringUtils;

/**
 * Starts a database for this run if {@code spring.datasource.url} names none, and an installed Redis if
 * {@code spring.data.redis.url} names none. Without a Redis, strategy {@code redis} is off.
 */
public final class Servers implements ApplicationListener<ApplicationEnvironmentPreparedEvent>, Ordered {

    /** The property that names the Redis. */
    static final String REDIS_URL = "spring.data.redis.url";

    /** The property that switches strategy {@code redis} on. */
    public static final String REDIS_ENABLED = "rowlock.redis.enabled";

    private static final String DATABASE_URL = "spring.datasource.url";
    private static final Logger log = LoggerFactory.getLogger(Servers.class);

    @Override
    public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
        ConfigurableEnvironment environment = event.getEnvironment();
        if (!StringUtils.hasText(environment.getProperty(DATABASE_URL))) {
            startDatabase(environment);
        }
        String redis = environment.getProperty(REDIS_URL);
        if (StringUtils.hasText(redis)) {
            use(environment, redis);
        } else {
            startRedis(environment);
        }
    }

    /** Returns the last place: the properties have been read by then. */
    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    /** Starts the MariaDB that the build brings for most systems; for the others Docker brings one. */
    private static void startDatabase(ConfigurableEnvironment environment) {
        log.info("No SPRING_DATASOURCE_URL is set: unpacking and starting MariaDB, some ten seconds …");
        TestSchema schema = DatabaseServer.find(ServerFlavor.MARIADB)
                .orElseThrow(() -> new IllegalStateException(
                        "No MariaDB could be started here, neither the embedded one nor one in "
                                + "Docker: let SPRING_DATASOURCE_URL name a MySQL or MariaDB that runs"))
                .createSchema();
        Map<String, Object> properties = new HashMap<>();
        properties.put(DATABASE_URL, schema.jdbcUrl());
        properties.put("spring.datasource.username", schema.username());
        properties.put("spring.datasource.password", schema.password());
        environment.getPropertySources().addFirst(new MapPropertySource("database of this run", properties));
    }

    private static void startRedis(ConfigurableEnvironment environment) {
        try {
            RedisServer server = RedisServer.start();
            SpringApplication.getShutdownHandlers().add(server::stop);
            use(environment, server.uri());
        } catch (IOException e) {
            log.info("Strategy redis takes no part: {}, and SPRING_DATA_REDIS_URL names no server", e.getMessage());
        }
    }

    private static void use(ConfigurableEnvironment environment, String redis) {
        Map<String, Object> properties = Map.of(REDIS_URL, redis, REDIS_ENABLED, "true");
        environment.getPropertySources().addFirst(new MapPropertySource("Redis of this run", properties));
    }
}
