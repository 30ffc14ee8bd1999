package io.rowlock.sample.stage;

import io.rowlock.test.DatabaseServer;
import io.rowlock.test.ServerFlavor;
import io.rowlock.test.TestSchema;
import io.rowlock.test.redis.RedisServer;
import java.io.IOException;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
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
        TestSchema schema = schema();
        SpringApplication.getShutdownHandlers().add(() -> drop(schema));
        Map<String, Object> properties = Map.of(
                DATABASE_URL,
                schema.jdbcUrl(),
                "spring.datasource.username",
                schema.username(),
                "spring.datasource.password",
                schema.password());
        environment.getPropertySources().addFirst(new MapPropertySource("database of this run", properties));
    }

    private static TestSchema schema() {
        try {
            return DatabaseServer.find(ServerFlavor.MARIADB)
                    .orElseThrow(() -> new IllegalStateException("neither the embedded one nor Docker works on this "
                            + System.getProperty("os.name") + " " + System.getProperty("os.arch")))
                    .createSchema();
        } catch (IllegalStateException e) {
            throw new NoDatabaseException(e);
        }
    }

    /** Drops the schema, unless a Ctrl-C has reached the embedded server as well; its files go with this process. */
    private static void drop(TestSchema schema) {
        try {
            schema.drop();
        } catch (IllegalStateException e) {
            log.debug("The database ended before its schema was dropped", e);
        }
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

    /** Stops a start for which no database could be started. */
    private static final class NoDatabaseException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        NoDatabaseException(IllegalStateException cause) {
            super(cause.getMessage(), cause);
        }
    }

    /** Explains it. */
    static final class NoDatabaseAnalyzer extends AbstractFailureAnalyzer<NoDatabaseException> {

        @Override
        protected FailureAnalysis analyze(Throwable rootFailure, NoDatabaseException cause) {
            return new FailureAnalysis(
                    "No database could be started for the sample: %s.".formatted(cause.getMessage()),
                    "Let SPRING_DATASOURCE_URL name a MySQL or MariaDB that runs, such as "
                            + "'jdbc:mysql://127.0.0.1:3306/sample?user=root&password=secret&createDatabaseIfNotExist=true'.",
                    cause);
        }
    }
}
