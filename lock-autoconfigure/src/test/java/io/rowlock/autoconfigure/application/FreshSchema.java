package io.rowlock.autoconfigure.application;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.TestSchema;
import java.util.UUID;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * An empty schema of its own, without Rowlock's tables, and users with fewer rights in it. As an extension of a class it is there
 * before everything else of the class, and dropped after it.
 */
public final class FreshSchema implements AutoCloseable, BeforeAllCallback, AfterAllCallback {
    public static final String PASSWORD = "pw";

    private final String[] tables;
    private TestSchema schema;
    private JdbcTemplate jdbc;

    /** @param tables statements that create the tables of the class */
    public FreshSchema(String... tables) {
        this.tables = tables;
    }

    public static FreshSchema on(DatabaseServer server) {
        FreshSchema schema = new FreshSchema();
        schema.create(server);
        return schema;
    }

    private void create(DatabaseServer server) {
        schema = server.createSchema();
        jdbc = new JdbcTemplate(schema.dataSource());
        for (String table : tables) {
            jdbc.execute(table);
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) throws NoSuchMethodException {
        context.getExecutableInvoker().invoke(getClass().getDeclaredMethod("create", DatabaseServer.class), this);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (schema != null) {
            close();
            schema = null;
        }
    }

    public TestSchema schema() {
        return schema;
    }

    public JdbcTemplate jdbc() {
        return jdbc;
    }

    /** A user who may read and write, but not create anything. */
    public String userWithoutDdlRights() {
        return userWith("SELECT, INSERT, UPDATE, DELETE");
    }

    public String userWith(String rights) {
        String user = userWithoutRights();
        grant(rights, schema.name() + ".*", user);
        return user;
    }

    public String userWithoutRights() {
        String user = "u" + UUID.randomUUID().toString().substring(0, 8);
        jdbc.execute("CREATE USER '%s'@'%%' IDENTIFIED BY '%s'".formatted(user, PASSWORD));
        return user;
    }

    /** @param where a schema or a table, qualified */
    public void grant(String rights, String where, String user) {
        jdbc.execute("GRANT %s ON %s TO '%s'@'%%'".formatted(rights, where, user));
    }

    public void assertHasTable(String table) {
        assertThat(hasTable(table)).as(table).isTrue();
    }

    public boolean hasTable(String table) {
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
