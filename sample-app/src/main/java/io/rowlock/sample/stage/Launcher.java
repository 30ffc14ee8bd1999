package io.rowlock.sample.stage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/** Starts the process of a node: this application once more, with the same Java, class path, temporary folder and servers. */
@Component
record Launcher(JdbcConnectionDetails database, ApplicationArguments arguments, Environment environment) {

    Process launch(String node) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
                "io.rowlock.sample.SampleNode");
        Stream.of(arguments.getSourceArgs())
                .filter(argument -> !argument.startsWith("--server."))
                .forEach(builder.command()::add);
        // Arguments come before all else that may name an address, such as SERVER_PORT
        builder.command().addAll(List.of("--server.address=127.0.0.1", "--server.port=0", "--sample.node=" + node));
        Map<String, String> variables = builder.environment();
        variables.put("CLASSPATH", System.getProperty("java.class.path"));
        // Not as arguments, which every user of the machine can read
        variables.put("SPRING_DATASOURCE_URL", database.getJdbcUrl());
        variables.put("SPRING_DATASOURCE_USERNAME", Objects.toString(database.getUsername(), ""));
        variables.put("SPRING_DATASOURCE_PASSWORD", Objects.toString(database.getPassword(), ""));
        if (environment.getProperty(Servers.REDIS_ENABLED, Boolean.class, false)) {
            variables.put("ROWLOCK_REDIS_ENABLED", "true");
            variables.put("SPRING_DATA_REDIS_URL", environment.getRequiredProperty(Servers.REDIS_URL));
        }
        Process process = builder.start();
        // Not inherited: where tests keep what this process prints, they keep the warnings of its nodes, too
        Thread warnings = new Thread(() -> process.errorReader().lines().forEach(System.err::println));
        warnings.setDaemon(true);
        warnings.start();
        return process;
    }
}
