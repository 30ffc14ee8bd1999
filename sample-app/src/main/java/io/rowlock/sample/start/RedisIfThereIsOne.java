package io.rowlock.sample.start;

import io.rowlock.test.redis.RedisServer;
import java.io.IOException;
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
 * Switches strategy {@code redis} on if {@code spring.data.redis.url} names a server, or if a {@code redis-server} is installed,
 * which is started for this run.
 */
public final class RedisIfThereIsOne implements ApplicationListener<ApplicationEnvironmentPreparedEvent>, Ordered {
    /** Where Redis is. */
    public static final String URL = "spring.data.redis.url";

    /** Whether there is a Redis to keep locks in. */
    public static final String ENABLED = "rowlock.redis.enabled";

    private static final Logger log = LoggerFactory.getLogger(RedisIfThereIsOne.class);

    @Override
    public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
        ConfigurableEnvironment environment = event.getEnvironment();
        String named = environment.getProperty(URL);
        if (StringUtils.hasText(named)) {
            use(environment, named);
            return;
        }
        try {
            RedisServer server = RedisServer.start();
            SpringApplication.getShutdownHandlers().add(server::stop);
            use(environment, server.uri());
        } catch (IOException e) {
            log.info("Strategy redis takes no part: {}, and SPRING_DATA_REDIS_URL names no server", e.getMessage());
        }
    }

    /** After the database, which the sample cannot do without. */
    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    private static void use(ConfigurableEnvironment environment, String url) {
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource("Redis of this run", Map.of(URL, url, ENABLED, "true")));
    }
}
