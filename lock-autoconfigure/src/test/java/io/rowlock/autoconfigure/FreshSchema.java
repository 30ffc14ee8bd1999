package io.rowlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.UUID;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** A schema of its own on the server that ROWLOCK_TEST_MYSQL_URL names, with the rights to create users. */
final class FreshSchema implements AutoCloseable {
    private static final String SERVER = System.getenv("ROWLOCK_TEST_MYSQL_URL");

    private final String name = "rowlock_" + UUID.randomUUID().toString().substring(0, 8);
    private final JdbcTemplate server;
    private final JdbcTemplate schema;

    private FreshSchema() {
        assumeTrue(SERVER != null, "ROWLOCK_TEST_MYSQL_URL is not set");
        server = new JdbcTemplate(new DriverManagerDataSource(SERVER));
        server.execute("CREATE DATABASE " + name);
        schema = new JdbcTemplate(new DriverManagerDataSource(url()));
    }

    static FreshSchema create() {
        return new FreshSchema();
    }

    String name() {
        return name;
    }

    String url() {
        return SERVER.replaceFirst("^(jdbc:mysql://[^/]+/)[^?]*", "$1" + name);
    }

    /** The URL without the credentials it carries. */
    String urlWithoutUser() {
        return url().replaceFirst("[?].*", "");
    }

    JdbcTemplate jdbc() {
        return schema;
    }

    /** A user who may read and write, but not create anything. */
    String userWithoutDdlRights() {
        return userWith("SELECT, INSERT, UPDATE, DELETE");
    }

    String userWith(String rights) {
        String user = "u" + UUID.randomUUID().toString().substring(0, 8);
        server.execute("CREATE USER '%s'@'%%' IDENTIFIED BY 'pw'".formatted(user));
        server.execute("GRANT %s ON %s.* TO '%s'@'%%'".formatted(rights, name, user));
        return user;
    }

    void assertHasTable(String table) {
        assertThat(hasTable(table)).as(table).isTrue();
    }

    boolean hasTable(String table) {
        return !server.queryForList(
                        "SELECT 1 FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                        name,
                        table)
                .isEmpty();
    }

    @Override
    public void close() {
        server.execute("DROP DATABASE " + name);
    }
}
