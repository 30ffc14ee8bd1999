package io.rowlock.sample.node;

import io.rowlock.sample.start.RedisIfThereIsOne;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Profile;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/** Starts the process of a node: this program once more, with the same Java, class path and servers. */
@Component
@Profile("!node")
class Launcher {
    private static final String MAIN = "io.rowlock.sample.SampleNode";

    private final JdbcConnectionDetails database;
    private final ApplicationArguments arguments;
    private final Environment environment;

    Launcher(JdbcConnectionDetails database, ApplicationArguments arguments, Environment environment) {
        this.database = database;
        this.arguments = arguments;
        this.environment = environment;
    }

    Process launch(String node) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx256m",
                        MAIN,
                        "--sample.node=" + node)
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
        builder.command().addAll(List.of(arguments.getSourceArgs()));
        // Not as arguments, which every user of the machine can read
        builder.environment().put("SPRING_DATASOURCE_URL", database.getJdbcUrl());
        builder.environment().put("SPRING_DATASOURCE_USERNAME", Objects.toString(database.getUsername(), ""));
        builder.environment().put("SPRING_DATASOURCE_PASSWORD", Objects.toString(database.getPassword(), ""));
        if (environment.getProperty(RedisIfThereIsOne.ENABLED, Boolean.class, false)) {
            builder.environment().put("ROWLOCK_REDIS_ENABLED", "true");
            builder.environment().put("SPRING_DATA_REDIS_URL", environment.getRequiredProperty(RedisIfThereIsOne.URL));
        }
        return builder.start();
    }
}
