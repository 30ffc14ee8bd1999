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

    private NamedDatabase() {}

    /** @throws NoDatabaseException if it does not answer, or is too old */
    static void check(Environment environment) {
        Properties properties = new Properties();
        properties.setProperty("connectTimeout", PATIENCE_MILLIS);
        properties.setProperty("socketTimeout", PATIENCE_MILLIS);
        copy(environment, "spring.datasource.username", properties, "user");
        copy(environment, "spring.datasource.password", properties, "password");
        String url = environment.getRequiredProperty(URL);
        ServerVersion version;
        try {
            version = version(url, properties);
        } catch (SQLException e) {
            throw new NoDatabaseException(
                    "the one that SPRING_DATASOURCE_URL names does not answer: " + firstLine(e), e);
        }
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

    private static String firstLine(SQLException e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }
}
