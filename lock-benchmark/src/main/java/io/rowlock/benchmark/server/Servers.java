package io.rowlock.benchmark.server;

import com.mysql.cj.jdbc.MysqlDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where everything runs. Handed to child processes by their environment, where no list of processes shows it.
 *
 * @param jdbcUrl the schema of this run
 * @param username who works in it
 * @param password that user's password
 * @param redisUrl {@code redis://host:port}, or null if there is none
 */
public record Servers(
        String jdbcUrl,
        String username,
        String password,
        @Nullable String redisUrl) {
    private static final String URL = "BENCHMARK_JDBC_URL";
    private static final String USER = "BENCHMARK_JDBC_USER";
    private static final String PASSWORD = "BENCHMARK_JDBC_PASSWORD";
    private static final String REDIS = "BENCHMARK_REDIS";

    /** @return the same, with TLS if the server has it, as is the default of MySQL's driver */
    public Servers encrypted() {
        String url = jdbcUrl.replaceAll("(?<=[?&])sslMode=[^&]*&?", "").replaceFirst("[?&]$", "");
        return withJdbcUrl(url + (url.contains("?") ? "&" : "?") + "sslMode=PREFERRED");
    }

    /** @return the same, through MariaDB's driver */
    public Servers throughMariaDbDriver() {
        return withJdbcUrl(jdbcUrl.replaceFirst("^jdbc:mysql:", "jdbc:mariadb:"));
    }

    /**
     * @return a session outside all pools
     * @throws SQLException if it cannot be opened
     */
    public Connection connect() throws SQLException {
        MysqlDataSource source = new MysqlDataSource();
        source.setUrl(jdbcUrl);
        source.setUser(username);
        source.setPassword(password);
        return source.getConnection();
    }

    private Servers withJdbcUrl(String url) {
        return new Servers(url, username, password, redisUrl);
    }

    /** @return what a child process needs to get the same with {@link #ofEnvironment} */
    public Map<String, String> toEnvironment() {
        return Map.of(URL, jdbcUrl, USER, username, PASSWORD, password, REDIS, redisUrl == null ? "" : redisUrl);
    }

    /** @return the servers the parent process works on */
    public static Servers ofEnvironment() {
        String redis = required(REDIS);
        return new Servers(required(URL), required(USER), required(PASSWORD), redis.isEmpty() ? null : redis);
    }

    private static String required(String name) {
        String value = System.getenv(name);
        if (value == null) {
            throw new IllegalStateException("Started by the benchmark only: " + name + " is not set");
        }
        return value;
    }

    /**
     * @return the URL of Redis
     * @throws IllegalStateException if there is none
     */
    public String requiredRedisUrl() {
        if (redisUrl == null) {
            throw new IllegalStateException("There is no Redis server");
        }
        return redisUrl;
    }
}
