package io.rowlock.benchmark.process;

import io.rowlock.benchmark.server.Servers;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A start of a small web application in a process of its own.
 *
 * @param wallMillis from the start of the JVM until the application is ready
 * @param cpuMillis CPU time of the process until then
 * @param firstMillis how long the first call of its service took
 */
public record ApplicationStart(double wallMillis, double cpuMillis, double firstMillis) {
    private static final Pattern ROWLOCK =
            Pattern.compile(".*\\block-(core|jdbc|redis|autoconfigure|starter)\\b.*|.*\\browlock-[^/\\\\]*\\.jar");

    /**
     * Starts it and waits for its end.
     *
     * @param servers where its database is, which has the lock tables
     * @param starter true to start it with Rowlock on the class path
     * @param connects true if it opens a connection of its own before it is ready
     * @return what it took
     * @throws IOException if the process cannot be started
     */
    public static ApplicationStart of(Servers servers, boolean starter, boolean connects) throws IOException {
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> starter || !ROWLOCK.matcher(entry).matches())
                .collect(Collectors.joining(File.pathSeparator));
        Process process = ChildJvm.startWith(
                classPath,
                servers,
                WebApplication.class,
                "-Xmx256m",
                "-Dserver.port=0",
                "-D%s=%s".formatted(WebApplication.CONNECTS, connects),
                "-Dspring.main.banner-mode=off",
                "-Dspring.datasource.url=" + servers.jdbcUrl(),
                "-Dspring.datasource.username=" + servers.username(),
                "-Dspring.autoconfigure.exclude=org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration");
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(WebApplication.RESULT)) {
                    String[] figures = line.split(" ", -1);
                    return new ApplicationStart(
                            Double.parseDouble(figures[1]),
                            Double.parseDouble(figures[2]),
                            Double.parseDouble(figures[3]));
                }
            }
            throw new IllegalStateException("The application did not start");
        } finally {
            process.onExit().join();
        }
    }
}
