package io.rowlock.verification;

import io.rowlock.servers.Network;
import io.rowlock.servers.Network.Traffic;
import io.rowlock.verification.fault.Database;
import io.rowlock.verification.fault.FakeTime;
import io.rowlock.verification.fault.Redis;
import io.rowlock.verification.fault.RowLockSessions;
import io.rowlock.verification.fault.Scene;
import io.rowlock.verification.history.Event;
import io.rowlock.verification.history.Event.Kind;
import io.rowlock.verification.history.Recorder;
import io.rowlock.verification.node.Arguments;
import io.rowlock.verification.node.Node;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The processes of a run, each with networks of its own to the servers. */
final class Cast implements Scene, AutoCloseable {
    /** Events that a node writes in its first steps. */
    private static final long STARTED_BYTES = 2_000;

    /** For how long a run waits for a node that was started again. */
    private static final long AGAIN = Duration.ofMinutes(1).toNanos();

    private static final int LONG_SECONDS = 300;

    /** A token of Redis is the time at which a lease began, in microseconds, and up to that much more. */
    private static final int TOKENS_OF_A_LEASE = 1_128;

    private static final long SAMPLE = Duration.ofSeconds(10).toNanos();

    private static final long START = Duration.ofMinutes(3).toNanos();

    private final Settings settings;
    private final Path histories;
    private final Database database;
    private final Redis redis;
    private final Recorder recorder;
    private final List<Member> members = new ArrayList<>();
    /** Also those of processes that were killed, whose requests may be under way. */
    private final List<Network> networks = new CopyOnWriteArrayList<>();

    private int started;
    private volatile boolean closed;

    /**
     * A process and its networks.
     *
     * @param number its name in the history
     */
    private record Member(int number, Process process, List<Network> networks, RowLockSessions rowLocks) {}

    Cast(Settings settings, Path histories, Database database, Redis redis) throws IOException {
        this.settings = settings;
        this.histories = histories;
        this.database = database;
        this.redis = redis;
        this.recorder = new Recorder(0, histories);
        for (int node = 0; node < settings.nodes(); node++) {
            members.add(started(0));
        }
        redis.watch(this::failedOver);
    }

    private Member started(int hours) throws IOException {
        int number = ++started;
        RowLockSessions rowLocks = new RowLockSessions(new RowLockSessions.Log() {
            @Override
            public void gone(String key) {
                change(number, Kind.GONE, key, -1);
            }

            @Override
            public void back(String key) {
                change(number, Kind.BACK, key, -1);
            }
        });
        Network toDatabase = new Network(database.port(), rowLocks);
        database.onMove(port -> {
            toDatabase.move(port);
            toDatabase.reset();
        });
        List<Network> own = new ArrayList<>(List.of(toDatabase));
        for (int port : redis.ports()) {
            own.add(new Network(port, client -> Traffic.UNSEEN));
        }
        networks.addAll(own);
        return new Member(number, process(number, own, hours), List.copyOf(own), rowLocks);
    }

    private void change(int number, Kind kind, String key, long until) {
        recorder.add(new Event(Recorder.now(), number, 0, kind, key, "", until));
    }

    @Override
    public void forced(String owner, String key) {
        int number = Integer.parseInt(owner.replaceFirst("^node-(\\d+)@.*", "$1"));
        change(number, Kind.GONE, key, Recorder.now() + Node.TTL.toNanos());
    }

    @Override
    public void clockSet(long nanos) {
        recorder.add(0, Kind.SET, "", "", nanos);
    }

    private void failedOver(int firstSlot, int lastSlot, long since, long until) {
        long token = 1_000 * System.currentTimeMillis() + TOKENS_OF_A_LEASE;
        recorder.add(new Event(until, 0, 0, Kind.FAILED_OVER, firstSlot + "-" + lastSlot, Long.toString(since), token));
    }

    private Process process(int number, List<Network> own, int hours) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=" + compiler(),
                "-classpath"));
        String classPath = System.getProperty("java.class.path");
        command.add(settings.classes().isEmpty() ? classPath : settings.classes() + File.pathSeparator + classPath);
        command.add(Node.class.getName());
        Map<Integer, Integer> routes = new TreeMap<>();
        for (int i = 0; i < redis.ports().size(); i++) {
            routes.put(redis.ports().get(i), own.get(1 + i).port());
        }
        Arguments arguments = new Arguments(
                settings.contender(),
                number,
                settings.seed(),
                histories,
                database.url(own.get(0).port()),
                redis.address(port -> Objects.requireNonNull(routes.get(port))),
                routes,
                settings.threads(),
                settings.quick(),
                settings.uses());
        command.addAll(arguments.texts());
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(histories.resolve("node-" + number + ".out").toFile());
        if (hours != 0) {
            builder.environment().putAll(FakeTime.environment());
            builder.environment().put("FAKETIME", "%+dh".formatted(hours));
        }
        Process process = builder.start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        return process;
    }

    /** @return the level of the best compiler that pays: what the last one gains in a short run, it costs */
    private int compiler() {
        boolean isLong = settings.classes().isEmpty() && settings.seconds() >= LONG_SECONDS;
        return isLong ? 4 : 1;
    }

    @Override
    public int node(Random random) throws IOException {
        List<Integer> working = new ArrayList<>();
        for (int node = 0; node < members.size(); node++) {
            if (works(members.get(node))) {
                working.add(node);
            }
        }
        if (working.isEmpty()) {
            throw new IOException("No node works; see " + histories);
        }
        return working.get(random.nextInt(working.size()));
    }

    private boolean works(Member member) throws IOException {
        Path history = histories.resolve("node-" + member.number() + ".txt");
        return Files.exists(history) && Files.size(history) > STARTED_BYTES;
    }

    @Override
    public long pid(int node) {
        return members.get(node).process().pid();
    }

    @Override
    public void kill(int node) throws IOException {
        Process process = members.get(node).process();
        if (!process.isAlive()) {
            throw new IOException("Node %d has ended by itself; see its output in %s".formatted(node, histories));
        }
        process.destroyForcibly();
    }

    @Override
    public void start(int node, int hours) throws IOException {
        Member member = started(hours);
        members.set(node, member);
        long end = System.nanoTime() + AGAIN;
        while (!works(member) && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(100_000_000);
        }
    }

    @Override
    public void exhaust(int node, int pools) throws IOException {
        OutputStream commands = members.get(node).process().getOutputStream();
        commands.write(pools);
        commands.flush();
    }

    @Override
    public List<Network> networks(int node) {
        return members.get(node).networks();
    }

    @Override
    public List<RowLockSessions> rowLocks() {
        return members.stream().map(Member::rowLocks).toList();
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
        for (Member member : members) {
            while (!works(member)) {
                if (System.nanoTime() - end > 0 || !member.process().isAlive()) {
                    throw new IOException("Node %d does not work; see %s".formatted(member.number(), histories));
                }
                Thread.sleep(100);
            }
        }
    }

    /** Notes, every few seconds, what the servers keep for the nodes, unless a fault is in the way. */
    void sample() {
        Thread sampler = new Thread(
                () -> {
                    while (!closed) {
                        LockSupport.parkNanos(SAMPLE);
                        try {
                            sampleOnce();
                        } catch (IOException | SQLException | NumberFormatException e) {
                            // the server is away, or is just loading
                        }
                    }
                },
                "sampler");
        sampler.setDaemon(true);
        sampler.start();
    }

    private void sampleOnce() throws IOException, SQLException {
        recorder.sample(
                "connections", networks.stream().mapToInt(Network::connections).sum());
        try (Connection connection = database.connect()) {
            long rows = 0;
            for (String table : lockTables()) {
                rows += Long.parseLong(Database.texts(connection, "SELECT COUNT(*) FROM " + table)
                        .get(0));
            }
            recorder.sample("rows", rows);
        }
        recorder.sample("redis-keys", redis.keys());
    }

    /** Lets each end what it does. */
    void end() throws IOException, InterruptedException {
        redis.endWatch(this::failedOver);
        for (Member member : members) {
            if (works(member)) {
                member.process().getOutputStream().close();
            } else {
                member.process().destroyForcibly(); // it was just started
            }
        }
        for (Member member : members) {
            if (!member.process().waitFor(60, TimeUnit.SECONDS)) {
                throw new IOException("A node does not end; see " + histories);
            }
            if (member.process().exitValue() != 0 && works(member)) {
                throw new IOException("A node ended with %d; see %s"
                        .formatted(member.process().exitValue(), histories));
            }
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        members.forEach(member -> member.process().destroyForcibly());
        for (Network network : networks) {
            network.close();
        }
    }
}
