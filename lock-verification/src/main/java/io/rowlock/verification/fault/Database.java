package io.rowlock.verification.fault;

import ch.vorburger.exec.ManagedProcessException;
import com.mysql.cj.jdbc.MysqlDataSource;
import io.rowlock.test.embedded.EmbeddedMariaDb;
import io.rowlock.test.embedded.TemporaryHome;
import io.rowlock.verification.fault.Fault.End;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntConsumer;
import java.util.stream.Stream;

/** A MySQL or MariaDB server that can be killed, or a group of them, and an own schema in it. */
public final class Database extends Server {
    /** The system has each commit before it is answered, so that a kill loses nothing; its disk may have it later. */
    static final String COMMIT_TO_THE_SYSTEM = "SET GLOBAL innodb_flush_log_at_trx_commit = 2, GLOBAL sync_binlog = 0";

    /** The time after which an application gives up a statement. */
    public static final Duration ANSWER = Duration.ofSeconds(8);

    /** As above; with more than one thread a member applies what it has missed although nodes go on. */
    private static final String MEMBERS_KEEP_UP =
            "--innodb-flush-log-at-trx-commit=2 --sync-binlog=0 --replica-parallel-workers=4";

    private final String schema = "verification_" + ProcessHandle.current().pid();
    private final int port;
    private final Start start;
    private final Optional<Path> pidFile;
    private final Optional<Group> group;
    private final Optional<Disk> disk;
    private final Optional<FakeTime> clock;

    private interface Start {
        void run() throws IOException;
    }

    private Database(int port, Start start, Optional<Disk> disk, Optional<FakeTime> clock) throws SQLException {
        this.port = port;
        this.start = start;
        this.disk = disk;
        this.clock = clock;
        this.group = Optional.empty();
        try (Connection connection = connect("")) {
            execute(connection, COMMIT_TO_THE_SYSTEM);
            pidFile = Optional.of(pidFile(connection));
        }
    }

    private Database(Group group, Start start) {
        this.port = 0;
        this.start = start;
        this.disk = Optional.empty();
        this.clock = Optional.empty();
        this.group = Optional.of(group);
        this.pidFile = Optional.empty();
    }

    static Path pidFile(Connection connection) throws SQLException {
        return Path.of(texts(connection, "SELECT @@datadir").get(0))
                .resolve(texts(connection, "SELECT @@pid_file").get(0));
    }

    /** @return whether it names the ports of several servers */
    public static boolean isGroup(String kind) {
        return kind.substring(kind.lastIndexOf(':') + 1).contains(",");
    }

    /**
     * @param kind {@code mariadb}, or a script that knows {@code start} with a port, a colon and that port, or a script that knows
     *     {@code start single} and {@code rejoin}, a colon and the ports of a group
     */
    public static Database open(String kind) throws IOException, SQLException, ManagedProcessException {
        if (kind.equals("mariadb")) {
            TemporaryHome home = TemporaryHome.create();
            Optional<Disk> disk = Disk.mount(home.root());
            disk.ifPresent(mounted -> home.closeAtExit(mounted::unmount));
            EmbeddedMariaDb server = EmbeddedMariaDb.start(home, "--max-connections=1000");
            server.stop();
            Optional<FakeTime> clock = FakeTime.of(home.root().resolve("base/bin/mariadbd"));
            launch(server);
            return new Database(server.port(), () -> launch(server), disk, clock);
        }
        int colon = kind.lastIndexOf(':');
        String script = kind.substring(0, colon);
        if (isGroup(kind)) {
            run(script, "start", "single");
            List<Integer> ports = Stream.of(kind.substring(colon + 1).split(",", -1))
                    .map(Integer::valueOf)
                    .toList();
            return new Database(new Group(ports), () -> run(script, "rejoin"));
        }
        Start start = () -> run(script, "start", kind.substring(colon + 1));
        start.run();
        return new Database(Integer.parseInt(kind.substring(colon + 1)), start, Optional.empty(), Optional.empty());
    }

    /** Nothing more can be written. A server that ends over it is started again. */
    End diskFull() throws IOException {
        End full = disk().full();
        return () -> {
            full.end();
            if (ProcessHandle.of(pid()).filter(ProcessHandle::isAlive).isEmpty()) {
                restart();
            }
        };
    }

    /** @throws IOException if it cannot be set */
    FakeTime clock() throws IOException {
        return clock.orElseThrow(() -> new IOException("the server has the clock of this machine"));
    }

    /** @throws IOException if it shares one */
    Disk disk() throws IOException {
        return disk.orElseThrow(() -> new IOException("the server has no disk of its own"));
    }

    private static void launch(EmbeddedMariaDb server) throws IOException {
        try {
            server.start();
        } catch (ManagedProcessException e) {
            throw new IOException(e);
        }
    }

    private static void run(String script, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("bash", script));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("GROUP_ARGS", MEMBERS_KEEP_UP);
        try {
            Process process = builder.start();
            if (process.waitFor() != 0) {
                throw new IOException(command + " has failed");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Leaves an empty schema. */
    public void clear() throws SQLException {
        try (Connection connection = connect("")) {
            execute(connection, "DROP DATABASE IF EXISTS " + schema);
            execute(connection, "CREATE DATABASE " + schema);
        }
    }

    @Override
    public int port() {
        return group.map(Group::primary).orElse(port);
    }

    @Override
    long pid() throws IOException {
        Path file = pidFile.or(() -> group.map(Group::pidFile)).orElseThrow();
        return Long.parseLong(Files.readString(file).strip());
    }

    /** @param follower hears of each new port */
    public void onMove(IntConsumer follower) {
        group.ifPresent(members -> members.onMove(follower));
    }

    End paused() throws IOException {
        End end = paused(pid());
        return () -> {
            end.end();
            if (group.isPresent()) {
                launch(); // the group may have expelled it
            }
        };
    }

    /** @throws IOException also if it is no group */
    End failedOver(boolean isKilled) throws IOException, SQLException {
        Group members = group.orElseThrow(() -> new IOException("there is no group"));
        launch(); // one that was away must be back, or none could be elected
        if (!isKilled) {
            return members.exchange(members.another());
        }
        int former = members.primary();
        kill();
        return () -> {
            try {
                members.awaitAnother(former);
            } finally {
                launch();
            }
        };
    }

    @Override
    void kill() throws IOException {
        signal("KILL", pid());
    }

    @Override
    void launch() throws IOException {
        start.run();
        try (Connection operator = connect("")) {
            execute(operator, COMMIT_TO_THE_SYSTEM);
        } catch (SQLException e) {
            throw new IOException(e);
        }
    }

    /** @return the URL of the schema through a port */
    public String url(int through) {
        return url(through, schema);
    }

    private static String url(int port, String schema) {
        return "jdbc:mysql://127.0.0.1:%d/%s?user=root&sslMode=DISABLED&allowPublicKeyRetrieval=true&connectTimeout=1000&socketTimeout=%d"
                .formatted(port, schema, ANSWER.toMillis());
    }

    /** @return a session past the network */
    public Connection connect() throws SQLException {
        return connect(schema);
    }

    private Connection connect(String to) throws SQLException {
        MysqlDataSource source = new MysqlDataSource();
        source.setUrl(url(port(), to));
        return source.getConnection();
    }

    public static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** @return the first column of a query's rows */
    public static List<String> texts(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> texts = new ArrayList<>();
            while (rows.next()) {
                texts.add(rows.getString(1));
            }
            return texts;
        }
    }

    @Override
    public void close() throws IOException {
        try (Connection connection = connect("")) {
            execute(connection, "DROP DATABASE IF EXISTS " + schema);
        } catch (SQLException e) {
            throw new IOException(e);
        }
    }
}
