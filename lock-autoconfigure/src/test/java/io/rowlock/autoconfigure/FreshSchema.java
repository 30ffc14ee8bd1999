package io.rowlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.test.DatabaseServer;
import io.rowlock.test.TestSchema;
import java.util.UUID;
import org.springframework.jdbc.core.JdbcTemplate;

/** An empty schema of its own, without Rowlock's tables, and users with fewer rights in it. */
final class FreshSchema implements AutoCloseable {
    static final String PASSWORD = "pw";

    private final TestSchema schema;
    private final JdbcTemplate jdbc;

    private FreshSchema(TestSchema schema) {
        this.schema = schema;
        jdbc = new JdbcTemplate(schema.dataSource());
    }

    static FreshSchema on(DatabaseServer server) {
        return new FreshSchema(server.createSchema());
    }

    TestSchema schema() {
        return schema;
    }

    JdbcTemplate jdbc() {
        return jdbc;
    }

    /** A user who may read and write, but not create anything. */
    String userWithoutDdlRights() {
        return userWith("SELECT, INSERT, UPDATE, DELETE");
    }

    String userWith(String rights) {
        String user = userWithoutRights();
        grant(rights, schema.name() + ".*", user);
        return user;
    }

    String userWithoutRights() {
        String user = "u" + UUID.randomUUID().toString().substring(0, 8);
        jdbc.execute("CREATE USER '%s'@'%%' IDENTIFIED BY '%s'".formatted(user, PASSWORD));
        return user;
    }

    /** @param where a schema or a table, qualified */
    void grant(String rights, String where, String user) {
        jdbc.execute("GRANT %s ON %s TO '%s'@'%%'".formatted(rights, where, user));
    }

    void assertHasTable(String table) {
        assertThat(hasTable(table)).as(table).isTrue();
    }

    boolean hasTable(String table) {
        return !jdbc.queryForList(
                        "SELECT 1 FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                        schema.name(),
                        table)
                .isEmpty();
    }

    @Override
    public void close() {
        schema.drop();
    }
}
