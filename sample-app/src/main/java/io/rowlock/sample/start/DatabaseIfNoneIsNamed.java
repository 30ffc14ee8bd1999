package io.rowlock.sample.start;

import io.rowlock.test.DatabaseServer;
import io.rowlock.test.ServerFlavor;
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
import org.springframework.util.ClassUtils;
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
        TestSchema schema = start();
        SpringApplication.getShutdownHandlers().add(() -> drop(schema));
        environment.getPropertySources().addFirst(properties(schema));
    }

    /** After the properties were read. */
    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    /** The build brings a MariaDB for most systems, and for the others what it takes to have Docker bring one. */
    private static TestSchema start() {
        String what = "No SPRING_DATASOURCE_URL is set: unpacking and starting MariaDB, some ten seconds";
        try (Progress progress = Progress.begin(log, what)) {
            DatabaseServer server = DatabaseServer.find(ServerFlavor.MARIADB).orElseThrow(DatabaseIfNoneIsNamed::none);
            TestSchema schema = server.createSchema();
            log.info("Started {} in {} s", server, progress.seconds());
            return schema;
        } catch (IllegalStateException e) {
            throw new NoDatabaseException("none could be started: " + e.getMessage(), e);
        }
    }

    private static NoDatabaseException none() {
        String system = System.getProperty("os.name") + " " + System.getProperty("os.arch");
        boolean docker = ClassUtils.isPresent("org.testcontainers.DockerClientFactory", null);
        return new NoDatabaseException(
                docker
                        ? "Docker does not answer, and there is no embedded MariaDB for " + system
                        : "the embedded MariaDB does not start on this %s; LOGGING_LEVEL_IO_ROWLOCK_TEST=warn has it say why"
                                .formatted(system),
                null);
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
