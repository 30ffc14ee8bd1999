package io.rowlock.autoconfigure.database;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.DriverDataSource;
import io.rowlock.store.jdbc.session.JdbcText;
import io.rowlock.store.jdbc.session.SqlFailure;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * Opens connections to that one of several servers that accepts writes. The one that did so last is asked first, then the others in
 * the order in which the URL names them. The drivers do not do that: they hand out a server that is up, though it may refuse every
 * write, and go on doing so. A single server is not asked. Thread-safe.
 */
final class WritableHost extends AbstractDataSource {
    private final List<String> names;
    private final List<DataSource> servers;
    private volatile int last;
    private volatile int loginTimeout;

    /** @param hosts where the servers are, by the names to be shown */
    WritableHost(Map<String, DataSource> hosts) {
        this.names = List.copyOf(hosts.keySet());
        this.servers = List.copyOf(hosts.values());
    }

    /** Makes a pool open its connections so. Its other settings must be made before. */
    static void chooseFor(HikariDataSource pool) {
        Map<String, DataSource> hosts = new LinkedHashMap<>();
        for (JdbcUrl url : new JdbcUrl(pool.getJdbcUrl()).hosts()) {
            hosts.put(
                    url.toString(),
                    new DriverDataSource(
                            url.value(), pool.getDriverClassName(), pool.getDataSourceProperties(), null, null));
        }
        pool.setDataSource(new WritableHost(hosts));
    }

    @Override
    public Connection getConnection() throws SQLException {
        return getConnection(null, null);
    }

    /**
     * Keeps it for HikariCP, which waits for as long when it closes. The limit of an attempt is among the driver's properties. HikariCP
     * would otherwise make the short one of locks that of {@link java.sql.DriverManager}, which Connector/J applies to every login of
     * the JVM, also to the application's.
     */
    @Override
    public void setLoginTimeout(int seconds) {
        loginTimeout = seconds;
    }

    @Override
    public int getLoginTimeout() {
        return loginTimeout;
    }

    @Override
    public Connection getConnection(@Nullable String username, @Nullable String password) throws SQLException {
        @Nullable SQLException readOnly = null;
        @Nullable SQLException unreachable = null;
        int first = last;
        for (int i = 0; i < names.size(); i++) {
            int host = (first + i) % names.size();
            try {
                Connection connection = servers.get(host).getConnection(username, password);
                if (names.size() == 1 || acceptsWrites(connection)) {
                    last = host;
                    return connection;
                }
                readOnly = SqlFailure.readOnly(
                        "None of %s accepts writes: %s is read-only".formatted(names, names.get(host)));
            } catch (SQLException e) {
                unreachable = e;
            }
        }
        throw Objects.requireNonNull(readOnly != null ? readOnly : unreachable);
    }

    /** Closes the connection if it is of no use. */
    private static boolean acceptsWrites(Connection connection) throws SQLException {
        boolean useful = false;
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT " + JdbcText.READ_ONLY)) {
            useful = row.next() && !row.getBoolean(1);
            return useful;
        } finally {
            if (!useful) {
                connection.close();
            }
        }
    }
}
