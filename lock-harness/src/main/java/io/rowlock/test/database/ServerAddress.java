package io.rowlock.test.database;

import com.mysql.cj.jdbc.Driver;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Where a server listens and who may create schemas there, from which the URL of any schema follows.
 *
 * @param hosts the part of a JDBC URL between the slashes, {@code 127.0.0.1:3306}
 * @param options Connector/J's connection properties, without user and password
 */
public record ServerAddress(String hosts, String username, String password, Map<String, String> options) {

    private static final Pattern URL =
            Pattern.compile("jdbc:(?:mysql|mariadb)://(?<hosts>[^/?]+)(?:/[^?]*)?(?:\\?(?<query>.*))?");

    private static final Pattern LOOPBACK = Pattern.compile("(127\\.0\\.0\\.1|localhost|\\[::1])(:\\d+)?");

    /** Options of Connector/J with which a URL says whether it wants TLS. */
    private static final Set<String> TLS = Set.of("sslMode", "useSSL", "requireSSL", "verifyServerCertificate");

    public ServerAddress {
        options = Map.copyOf(options);
    }

    /** A server on loopback that asks for neither a password nor encryption. */
    public static ServerAddress onLoopback(int port) {
        return new ServerAddress("127.0.0.1:" + port, "root", "", Map.of("sslMode", "DISABLED"));
    }

    /** On loopback without TLS, unless the URL says otherwise: to open a connection takes five times as long with it. */
    ServerAddress plainOnLoopback() {
        if (!LOOPBACK.matcher(hosts).matches() || options.keySet().stream().anyMatch(TLS::contains)) {
            return this;
        }
        Map<String, String> plain = new TreeMap<>(options);
        plain.put("sslMode", "DISABLED");
        plain.putIfAbsent("allowPublicKeyRetrieval", "true");
        return new ServerAddress(hosts, username, password, plain);
    }

    static ServerAddress parse(String url) {
        Matcher matcher = URL.matcher(url);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("Not a JDBC URL of MySQL or MariaDB: '" + url
                    + "'; expected jdbc:mysql://host:port/schema?user=name&password=word");
        }
        String query = matcher.group("query");
        Map<String, String> options = query == null || query.isEmpty()
                ? new TreeMap<>()
                : Arrays.stream(query.split("&"))
                        .map(option -> option.split("=", 2))
                        .collect(Collectors.toMap(
                                pair -> pair[0], pair -> pair.length == 2 ? pair[1] : "", (a, b) -> b, TreeMap::new));
        String username = decoded(options.remove("user"));
        String password = decoded(options.remove("password"));
        return new ServerAddress(matcher.group("hosts"), username, password, options);
    }

    public String url(String schema) {
        String query = new TreeMap<>(options)
                .entrySet().stream()
                        .map(option -> option.getKey() + "=" + option.getValue())
                        .collect(Collectors.joining("&"));
        return "jdbc:mysql://" + hosts + "/" + schema + (query.isEmpty() ? "" : "?" + query);
    }

    /** Opens a session without a schema of its own. */
    Connection connect() throws SQLException {
        Properties credentials = new Properties();
        credentials.setProperty("user", username);
        credentials.setProperty("password", password);
        credentials.setProperty("socketFactory", PatientLogin.class.getName());
        // The driver itself, not DriverManager: the MariaDB driver may be on the path and claim the URL first.
        Connection connection = new Driver().connect(url(""), credentials);
        if (connection == null) {
            throw new SQLException("Connector/J does not accept " + url(""));
        }
        return connection;
    }

    private static String decoded(@Nullable String value) {
        return value == null ? "" : URLDecoder.decode(value, StandardCharsets.UTF_8);
    }
}
