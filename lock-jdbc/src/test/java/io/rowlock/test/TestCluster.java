package io.rowlock.test;

import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.ServerAddress;
import io.rowlock.test.database.TestSchema;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Three servers on loopback that are one cluster, run by a script. The schema of a test is on all of them. */
public final class TestCluster implements AutoCloseable {
    private static final Path SCRIPTS = Path.of("src/test/resources/servers");
    private static final long START_MINUTES = 10;

    private final ClusterKind kind;
    private TestSchema schema;

    private TestCluster(ClusterKind kind) {
        this.kind = kind;
    }

    /** Starts it. @throws IllegalStateException with one line that says why that is not possible */
    public static TestCluster start(ClusterKind kind) {
        TestCluster cluster = new TestCluster(kind);
        cluster.script(kind.start().toArray(String[]::new));
        return cluster;
    }

    /** Runs the script. @return the last line it wrote */
    public String script(String... arguments) {
        List<String> command =
                new ArrayList<>(List.of("bash", SCRIPTS.resolve(kind.script).toString()));
        command.addAll(List.of(arguments));
        try {
            File output = File.createTempFile("rowlock-cluster", ".out");
            try {
                Process process = new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output)
                        .start();
                boolean ended = process.waitFor(START_MINUTES, TimeUnit.MINUTES);
                List<String> lines = Files.readAllLines(output.toPath(), StandardCharsets.UTF_8);
                String last = lines.isEmpty() ? "" : lines.get(lines.size() - 1);
                if (!ended || process.exitValue() != 0) {
                    throw new IllegalStateException(
                            "%s %s failed: %s".formatted(kind.script, List.of(arguments), last));
                }
                return last;
            } finally {
                Files.delete(output.toPath());
            }
        } catch (IOException e) {
            throw new IllegalStateException(kind.script + " cannot be run: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(kind.script + " was interrupted", e);
        }
    }

    public List<Integer> ports() {
        return kind.ports();
    }

    /** @return one of its servers, and of a single-primary group the primary */
    public DatabaseServer server() {
        int port = kind == ClusterKind.SINGLE_PRIMARY
                ? Integer.parseInt(script("primary"))
                : kind.ports().get(0);
        try {
            return DatabaseServer.at(address("127.0.0.1:" + port), "cluster");
        } catch (SQLException e) {
            throw new IllegalStateException("The cluster does not answer at port " + port, e);
        }
    }

    private static ServerAddress address(String hosts) {
        return new ServerAddress(hosts, "root", "", Map.of("sslMode", "DISABLED", "allowPublicKeyRetrieval", "true"));
    }

    /** The schema of the test, with Rowlock's tables, as the first server shows it. */
    public synchronized TestSchema schema() {
        if (schema == null) {
            schema = server().createSchema().migrate();
            kind.ports().forEach(this::awaitTables);
        }
        return schema;
    }

    /** The same schema, as another of the servers shows it. */
    public TestSchema schemaAt(int server) {
        return at("127.0.0.1:" + kind.ports().get(server % kind.ports().size()));
    }

    /** The same schema behind some address, which may name several servers. */
    public TestSchema at(String hosts) {
        TestSchema any = schema();
        return new TestSchema(any.name(), address(hosts).url(any.name()), any.username(), any.password());
    }

    private void awaitTables(int port) {
        TestSchema there = new TestSchema(
                schema.name(), address("127.0.0.1:" + port).url(schema.name()), schema.username(), schema.password());
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (true) {
            try (Connection connection = there.dataSource().getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("SELECT note FROM rowlock_lock_log LIMIT 0");
                return;
            } catch (SQLException e) {
                if (System.nanoTime() - end > 0) {
                    throw new IllegalStateException("The tables do not come to port " + port, e);
                }
                Thread.onSpinWait();
            }
        }
    }

    @Override
    public void close() {
        if (schema != null) {
            schema.drop();
        }
        script("stop");
    }
}
