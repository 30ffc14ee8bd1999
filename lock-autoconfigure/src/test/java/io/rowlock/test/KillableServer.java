package io.rowlock.test;

import ch.vorburger.exec.ManagedProcessException;
import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.ServerAddress;
import io.rowlock.test.embedded.EmbeddedMariaDb;
import io.rowlock.test.embedded.QuietLogger;
import io.rowlock.test.embedded.TemporaryHome;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A MariaDB that belongs to one test: it can be killed, and started again on its data and its port. */
public final class KillableServer implements AutoCloseable {
    private final Deque<QuietLogger> quiet = new ArrayDeque<>();
    private final TemporaryHome home;
    private final EmbeddedMariaDb mariadb;
    private final DatabaseServer server;

    private KillableServer(String... options) throws Exception {
        home = TemporaryHome.create();
        try (QuietLogger starting = QuietLogger.atError("ch.vorburger")) {
            mariadb = EmbeddedMariaDb.start(home, options);
        }
        server = DatabaseServer.at(ServerAddress.onLoopback(mariadb.port()), "embedded, to be killed");
    }

    /** @param options of the server */
    public static KillableServer start(String... options) throws Exception {
        return new KillableServer(options);
    }

    /** The server, which keeps its address when it is started again. */
    public DatabaseServer server() {
        return server;
    }

    /** Ends the process without a warning, and waits until it is gone. What is to be expected of that is not logged. */
    public void kill() throws Exception {
        List<ProcessHandle> processes = processes();
        if (processes.isEmpty()) {
            throw new IllegalStateException(server + " has no process");
        }
        quiet.push(QuietLogger.off("ch.vorburger"));
        quiet.push(QuietLogger.off("com.zaxxer.hikari.pool"));
        for (ProcessHandle process : processes) {
            process.destroyForcibly();
            process.onExit().get(1, TimeUnit.MINUTES);
        }
    }

    /** Starts it after it was killed, and waits until it takes connections. */
    public void startAgain() throws Exception {
        mariadb.start();
    }

    private List<ProcessHandle> processes() {
        Path base = home.directory("base").toPath();
        return ProcessHandle.current()
                .descendants()
                .filter(process -> process.info()
                        .command()
                        .filter(path -> Path.of(path).startsWith(base))
                        .isPresent())
                .toList();
    }

    @Override
    public void close() {
        try {
            mariadb.stop();
        } catch (ManagedProcessException e) {
            // it was killed and not started again
        } finally {
            quiet.forEach(QuietLogger::close);
        }
    }
}
