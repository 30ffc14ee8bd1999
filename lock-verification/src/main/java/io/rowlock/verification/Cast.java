package io.rowlock.verification;

import io.rowlock.verification.fault.Database;
import io.rowlock.verification.fault.Network;
import io.rowlock.verification.fault.Redis;
import io.rowlock.verification.fault.Scene;
import io.rowlock.verification.node.Node;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The processes of a run, each with networks of its own to the servers. */
final class Cast implements Scene, AutoCloseable {
    private static final Path FAKE_TIME = Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1");

    /** Events that a node writes in its first steps. */
    private static final long STARTED_BYTES = 2_000;

    /** For how long a run waits for a node that was started again. */
    private static final long AGAIN = Duration.ofMinutes(1).toNanos();

    private static final long START = Duration.ofMinutes(3).toNanos();

    private final Settings settings;
    private final Path histories;
    private final Database database;
    private final Redis redis;
    private final List<List<Network>> networks = new ArrayList<>();
    private final List<Process> processes = new ArrayList<>();
    /** The names of the nodes' processes in the history. */
    private final List<Integer> numbers = new ArrayList<>();

    private int started;

    Cast(Settings settings, Path histories, Database database, Redis redis) throws IOException {
        this.settings = settings;
        this.histories = histories;
        this.database = database;
        this.redis = redis;
        for (int node = 0; node < settings.nodes(); node++) {
            networks.add(List.of(new Network(database.port()), new Network(redis.port())));
            processes.add(process(node, 0));
            numbers.add(started);
        }
    }

    private Process process(int node, int hours) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-classpath"));
        String classPath = System.getProperty("java.class.path");
        command.add(settings.classes().isEmpty() ? classPath : settings.classes() + File.pathSeparator + classPath);
        command.add(Node.class.getName());
        command.addAll(List.of(
                settings.contender(),
                Integer.toString(++started),
                Long.toString(settings.seed()),
                histories.toString(),
                database.url(networks.get(node).get(0).port()),
                "redis://127.0.0.1:" + networks.get(node).get(1).port()));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(histories.resolve("node-" + started + ".out").toFile());
        if (hours != 0 && Files.exists(FAKE_TIME)) {
            builder.environment().put("LD_PRELOAD", FAKE_TIME.toString());
            builder.environment().put("FAKETIME", "%+dh".formatted(hours));
            builder.environment().put("FAKETIME_DONT_FAKE_MONOTONIC", "1");
            builder.environment().put("DONT_FAKE_MONOTONIC", "1");
        }
        Process process = builder.start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        return process;
    }

    @Override
    public int node(Random random) throws IOException {
        List<Integer> working = new ArrayList<>();
        for (int node = 0; node < processes.size(); node++) {
            if (works(numbers.get(node))) {
                working.add(node);
            }
        }
        if (working.isEmpty()) {
            throw new IOException("No node works; see " + histories);
        }
        return working.get(random.nextInt(working.size()));
    }

    private boolean works(int number) throws IOException {
        Path history = histories.resolve("node-" + number + ".txt");
        return Files.exists(history) && Files.size(history) > STARTED_BYTES;
    }

    @Override
    public long pid(int node) {
        return processes.get(node).pid();
    }

    @Override
    public void kill(int node) throws IOException {
        if (!processes.get(node).isAlive()) {
            throw new IOException("Node %d has ended by itself; see its output in %s".formatted(node, histories));
        }
        processes.get(node).destroyForcibly();
    }

    @Override
    public void start(int node, int hours) throws IOException {
        processes.set(node, process(node, hours));
        numbers.set(node, started);
        long end = System.nanoTime() + AGAIN;
        while (!works(started) && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(100_000_000);
        }
    }

    @Override
    public List<Network> networks(int node) {
        return networks.get(node);
    }

    @Override
    public Database database() {
        return database;
    }

    @Override
    public Redis redis() {
        return redis;
    }

    @Override
    public List<String> lockTables() {
        return switch (settings.contender()) {
            case "rowlock" -> List.of("counter", "rowlock_lock", "rowlock_row", "rowlock_unique_key", "rowlock_fence");
            case "shedlock" -> List.of("counter", "shedlock");
            case "spring-integration-jdbc" -> List.of("counter", "INT_LOCK");
            default -> List.of("counter");
        };
    }

    /** Waits until each node works. */
    void awaitWork() throws IOException, InterruptedException {
        long end = System.nanoTime() + START;
        for (int node = 1; node <= processes.size(); node++) {
            while (!works(node)) {
                if (System.nanoTime() - end > 0 || !processes.get(node - 1).isAlive()) {
                    throw new IOException("Node %d does not work; see %s".formatted(node, histories));
                }
                Thread.sleep(100);
            }
        }
    }

    /** Lets each end what it does. */
    void end() throws IOException, InterruptedException {
        for (int node = 0; node < processes.size(); node++) {
            if (works(numbers.get(node))) {
                processes.get(node).getOutputStream().close();
            } else {
                processes.get(node).destroyForcibly(); // it was just started
            }
        }
        for (int node = 0; node < processes.size(); node++) {
            Process process = processes.get(node);
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                throw new IOException("A node does not end; see " + histories);
            }
            if (process.exitValue() != 0 && works(numbers.get(node))) {
                throw new IOException("A node ended with %d; see %s".formatted(process.exitValue(), histories));
            }
        }
    }

    @Override
    public void close() throws IOException {
        processes.forEach(Process::destroyForcibly);
        for (List<Network> ofNode : networks) {
            for (Network network : ofNode) {
                network.close();
            }
        }
    }
}
