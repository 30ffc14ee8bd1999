package io.rowlock.benchmark.server;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Measures what work costs: statements and flushes by the server's status, CPU time by the operating system. Right only if
 * no other program uses the server. Used by one thread.
 */
public final class Meter implements AutoCloseable {
    private static final String REDIS_PROCESS = "process_id:";

    private final Connection connection;
    private final PreparedStatement status;
    private final @Nullable ProcessHandle server;
    private final @Nullable ProcessHandle redis;
    private long asked;

    /**
     * @param servers where the database is
     * @throws SQLException if it cannot be asked
     */
    public Meter(Servers servers) throws SQLException {
        connection = servers.connect();
        server = process(connection);
        redis = servers.redisUrl() == null ? null : redis(servers.redisUrl());
        status = connection.prepareStatement(
                "SHOW GLOBAL STATUS WHERE Variable_name IN ('Questions', 'Innodb_data_fsyncs')");
        asked = 1; // where its process is
    }

    /** The server's process on this machine, which its file names. A file that cannot be read is one of another machine. */
    private static @Nullable ProcessHandle process(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT @@pid_file, @@datadir")) {
            row.next();
            Path file = Path.of(row.getString(2)).resolve(row.getString(1));
            return ProcessHandle.of(Long.parseLong(Files.readString(file).trim()))
                    .orElse(null);
        } catch (IOException | NumberFormatException e) {
            return null;
        }
    }

    /** The process of Redis on this machine, which it names. */
    private static @Nullable ProcessHandle redis(String url) {
        RedisClient client = RedisClient.create(url);
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            return connection
                    .sync()
                    .info("server")
                    .lines()
                    .filter(line -> line.startsWith(REDIS_PROCESS))
                    .flatMap(line -> ProcessHandle.of(Long.parseLong(line.substring(REDIS_PROCESS.length()))).stream())
                    .filter(process -> process.info().command().orElse("").contains("redis"))
                    .findFirst()
                    .orElse(null);
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
        }
    }

    /**
     * @return what was used so far, without the statements of this object
     * @throws SQLException if the server cannot be asked
     */
    public Usage read() throws SQLException {
        asked++;
        Map<String, Long> counters = new HashMap<>();
        try (ResultSet rows = status.executeQuery()) {
            while (rows.next()) {
                counters.put(rows.getString(1), rows.getLong(2));
            }
        }
        return new Usage(
                counters.getOrDefault("Questions", 0L) - asked,
                counters.getOrDefault("Innodb_data_fsyncs", 0L),
                cpuMicros(ProcessHandle.current()),
                cpuMicros(server),
                cpuMicros(redis));
    }

    private static double cpuMicros(@Nullable ProcessHandle process) {
        Optional<Duration> used =
                Optional.ofNullable(process).flatMap(each -> each.info().totalCpuDuration());
        return used.map(time -> time.toNanos() / 1e3).orElse(Double.NaN);
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
