package io.rowlock.sample.start;

import io.rowlock.test.DatabaseServer;
import io.rowlock.test.TestSchema;
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

/** Starts a database for this run and points {@code spring.datasource} to it, unless that names one already. */
public final class DatabaseIfNoneIsNamed implements ApplicationListener<ApplicationEnvironmentPreparedEvent>, Ordered {

    private static final Logger log = LoggerFactory.getLogger(DatabaseIfNoneIsNamed.class);

    @Override
    public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
        ConfigurableEnvironment environment = event.getEnvironment();
        if (StringUtils.hasText(environment.getProperty(NamedDatabase.URL))) {
            NamedDatabase.check(environment);
            return;
        }
        DatabaseServer server = start();
        TestSchema schema = server.createSchema();
        SpringApplication.getShutdownHandlers().add(() -> drop(schema));
        environment.getPropertySources().addFirst(properties(schema));
    }

    /** After the properties were read. */
    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    private static DatabaseServer start() {
        String what = "No SPRING_DATASOURCE_URL is set: unpacking and starting a database, some ten seconds";
        try (Progress progress = Progress.begin(log, what)) {
            DatabaseServer server = DatabaseServer.any();
            log.info("Started {} in {} s", server, progress.seconds());
            return server;
        } catch (IllegalStateException e) {
            throw new NoDatabaseException("none could be started: " + e.getMessage(), e);
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
                        NamedDatabase.URL,
                        schema.jdbcUrl(),
                        "spring.datasource.username",
                        schema.username(),
                        "spring.datasource.password",
                        schema.password()));
    }
}
