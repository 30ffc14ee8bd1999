package io.rowlock.sample.start;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import org.springframework.core.env.Environment;

/** The database that the environment names: whether it answers, and whether it will do. */
final class NamedDatabase {
    static final String URL = "spring.datasource.url";

    private static final String PATIENCE_MILLIS = "5000";
    private static final String UNREACHABLE = "08S01";

    private NamedDatabase() {}

    /** @throws NoDatabaseException if it does not answer, refuses the login, or is too old */
    static void check(Environment environment) {
        Properties properties = new Properties();
        properties.setProperty("connectTimeout", PATIENCE_MILLIS);
        properties.setProperty("socketTimeout", PATIENCE_MILLIS);
        copy(environment, "spring.datasource.username", properties, "user");
        copy(environment, "spring.datasource.password", properties, "password");
        String url = environment.getRequiredProperty(URL);
        if (!url.startsWith("jdbc:mysql:")) {
            // Not in the words of the driver manager, who would repeat the URL with the password in it
            throw new NoDatabaseException("SPRING_DATASOURCE_URL must begin with jdbc:mysql:, for MariaDB too", null);
        }
        try {
            require(version(url, properties));
        } catch (SQLException e) {
            String what = UNREACHABLE.equals(e.getSQLState()) ? "does not answer" : "cannot be used";
            throw new NoDatabaseException(
                    "the one that SPRING_DATASOURCE_URL names %s: %s".formatted(what, firstLine(e)), e);
        }
    }

    static void require(ServerVersion version) {
        if (!version.isSupported()) {
            throw new NoDatabaseException(
                    "%s is too old, it takes MySQL 8.0 or MariaDB 10.6 or newer".formatted(version), null);
        }
    }

    private static void copy(Environment from, String property, Properties to, String name) {
        String value = from.getProperty(property);
        if (value != null) {
            to.setProperty(name, value);
        }
    }

    private static ServerVersion version(String url, Properties properties) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url, properties);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT VERSION()")) {
            row.next();
            return new ServerVersion(row.getString(1));
        }
    }

    /** Without its full stop: it ends a sentence. */
    private static String firstLine(SQLException e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("").replaceFirst("\\.$", "");
    }
}
