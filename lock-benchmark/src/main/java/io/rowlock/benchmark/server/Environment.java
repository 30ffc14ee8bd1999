package io.rowlock.benchmark.server;

import com.zaxxer.hikari.HikariDataSource;
import io.lettuce.core.RedisClient;
import io.rowlock.test.database.DatabaseServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.stream.Stream;
import net.javacrumbs.shedlock.core.LockProvider;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.api.redisnode.RedisNode;
import org.redisson.api.redisnode.RedisNodes;
import org.redisson.config.Config;
import org.springframework.boot.SpringBootVersion;
import org.springframework.core.SpringVersion;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry;

/** The machine, the servers and the versions, without anything that names a place. */
public final class Environment {
    private static final String DURABILITY = "'innodb_flush_log_at_trx_commit', 'sync_binlog', 'log_bin', "
            + "'innodb_buffer_pool_size', 'max_connections', 'innodb_doublewrite'";

    private Environment() {}

    /**
     * @param database the database's server
     * @param servers all servers
     * @param redis the Redis server, if there is one
     * @return what to state beside the results, in order
     * @throws SQLException if the database cannot be asked
     * @throws IOException if the machine cannot be asked
     */
    public static Map<String, String> describe(DatabaseServer database, Servers servers, Optional<RedisServer> redis)
            throws SQLException, IOException {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("CPU", cpuModel());
        facts.put("Cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
        facts.put("Memory", memory());
        facts.put("Kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        facts.put("Java", System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
        facts.put(
                "Database", database.flavor().label() + " " + database.version() + ", on the same machine as all else");
        facts.put("Database settings", settings(servers));
        facts.put(
                "Redis",
                redis.isPresent()
                        ? redisVersion(servers) + " (" + redis.get().origin() + ")"
                        : "none, so its contenders were left out");
        facts.put("Spring Boot", SpringBootVersion.getVersion());
        facts.put("Spring Framework", String.valueOf(SpringVersion.getVersion()));
        facts.put("Spring Integration JDBC", version(JdbcLockRegistry.class));
        facts.put("ShedLock", version(LockProvider.class));
        facts.put("Spring Integration Redis", version(RedisLockRegistry.class));
        facts.put("Redisson", version(Redisson.class));
        facts.put("Lettuce", version(RedisClient.class));
        facts.put("Connector/J", version(com.mysql.cj.jdbc.Driver.class));
        facts.put("HikariCP", version(HikariDataSource.class));
        facts.put("Pools", "as many connections as threads; " + Pools.description());
        return facts;
    }

    /**
     * @param servers all servers
     * @param connections how many the benchmark may open at a time
     * @throws SQLException if the database cannot be asked
     * @throws IllegalStateException if the database allows fewer
     */
    public static void requireConnections(Servers servers, int connections) throws SQLException {
        try (Connection connection = servers.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT @@max_connections")) {
            row.next();
            if (row.getInt(1) < connections) {
                throw new IllegalStateException(
                        "max_connections of the database is %d, but these workloads need %d: set it, or choose others with benchmark.workloads"
                                .formatted(row.getInt(1), connections));
            }
        }
    }

    /** By the jar's name where the manifest is silent; never its path. */
    private static String version(Class<?> type) {
        String version = type.getPackage().getImplementationVersion();
        if (version != null) {
            return version;
        }
        String jar = String.valueOf(
                Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath())
                        .getFileName());
        return jar.replaceFirst("^\\D*", "").replaceFirst("\\.jar$", "");
    }

    private static String cpuModel() throws IOException {
        return fromProc("/proc/cpuinfo", "model name").orElse(System.getProperty("os.arch"));
    }

    private static String memory() throws IOException {
        return fromProc("/proc/meminfo", "MemTotal")
                .map(total -> Long.parseLong(total.replaceAll("\\D", "")) / 1_048_576 + " GiB")
                .orElse("unknown");
    }

    private static Optional<String> fromProc(String file, String name) throws IOException {
        if (!Files.isReadable(Path.of(file))) {
            return Optional.empty();
        }
        try (Stream<String> lines = Files.lines(Path.of(file))) {
            return lines.filter(line -> line.startsWith(name))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst();
        }
    }

    private static String settings(Servers servers) throws SQLException {
        try (Connection connection = servers.connect();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SHOW GLOBAL VARIABLES WHERE variable_name IN (" + DURABILITY + ")")) {
            StringJoiner all = new StringJoiner(", ");
            while (row.next()) {
                all.add(row.getString(1) + "=" + row.getString(2));
            }
            return all.toString();
        }
    }

    private static String redisVersion(Servers servers) {
        Config config = new Config();
        config.useSingleServer().setAddress(servers.requiredRedisUrl()).setConnectionMinimumIdleSize(1);
        RedissonClient client = Redisson.create(config);
        try {
            Map<String, String> info =
                    client.getRedisNodes(RedisNodes.SINGLE).getInstance().info(RedisNode.InfoSection.SERVER);
            return info.getOrDefault("redis_version", "of unknown version");
        } finally {
            client.shutdown();
        }
    }
}
