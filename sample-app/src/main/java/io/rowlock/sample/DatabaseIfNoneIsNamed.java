package io.rowlock.sample;

import io.rowlock.test.DatabaseServer;
import io.rowlock.test.TestSchema;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.util.StringUtils;

/** Starts a database for this run and points {@code spring.datasource} to it, unless that names one already. */
final class DatabaseIfNoneIsNamed implements ApplicationListener<ApplicationEnvironmentPreparedEvent> {

    private static final Logger log = LoggerFactory.getLogger(DatabaseIfNoneIsNamed.class);

    @Override
    public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
        ConfigurableEnvironment environment = event.getEnvironment();
        if (StringUtils.hasText(environment.getProperty("spring.datasource.url"))) {
            return;
        }
        log.info("No SPRING_DATASOURCE_URL is set: unpacking and starting a database, some ten seconds …");
        DatabaseServer server = start();
        TestSchema schema = server.createSchema();
        SpringApplication.getShutdownHandlers().add(() -> drop(schema));
        environment.getPropertySources().addFirst(properties(schema));
        log.info("Started {}", server);
    }

    private static DatabaseServer start() {
        try {
            return DatabaseServer.any();
        } catch (IllegalStateException e) {
            throw new CannotGetJdbcConnectionException("No database could be started", e);
        }
    }

    /** A Ctrl-C reaches the embedded server as well, and may have ended it; its files go with this process. */
    private static void drop(TestSchema schema) {
        try {
            schema.drop();
        } catch (IllegalStateException e) {
            log.debug("The database ended before its schema was dropped", e);
        }
    }

    private static MapPropertySource properties(TestSchema schema) {
        return new MapPropertySource(
                "database of this run",
                Map.of(
                        "spring.datasource.url", schema.jdbcUrl(),
                        "spring.datasource.username", schema.username(),
                        "spring.datasource.password", schema.password()));
    }
}
