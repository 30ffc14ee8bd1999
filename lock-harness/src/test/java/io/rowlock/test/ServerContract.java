package io.rowlock.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.ServerFlavor;
import io.rowlock.test.database.TestSchema;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

/** What every server is expected to do, whatever it came from. */
abstract class ServerContract {

    private final ServerFlavor expected;

    ServerContract(ServerFlavor expected) {
        this.expected = expected;
    }

    @Test
    void answersAndIsOfTheRightFlavor(DatabaseServer server, DataSource dataSource) {
        String version = new JdbcTemplate(dataSource).queryForObject("SELECT VERSION()", String.class);
        assertThat(server.flavor()).isEqualTo(expected);
        assertThat(server.version()).isEqualTo(version);
        assertThat(version.contains("MariaDB")).isEqualTo(expected == ServerFlavor.MARIADB);
        assertThat(server).isSameAs(DatabaseServer.find(expected).orElseThrow());
    }

    @Test
    void sessionsAreInTheSchemaOfTheClass(TestSchema schema, DataSource dataSource) throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            assertThat(connection.getCatalog()).isEqualTo(schema.name());
        }
    }

    @Test
    void schemaHasRowlocksTablesIfThereAreMigrations(DataSource dataSource) {
        boolean migrations = getClass().getClassLoader().getResource("db/rowlock/mysql") != null;
        assertThat(tables(dataSource).contains("rowlock_schema_history")).isEqualTo(migrations);
        assertThat(tables(dataSource).contains("rowlock_lock")).isEqualTo(migrations);
    }

    @Test
    void everySchemaIsNewAndGoneAfterwards(DatabaseServer server, TestSchema mine) {
        List<String> names = new ArrayList<>();
        try (TestSchema one = server.createSchema();
                TestSchema two = server.createSchema()) {
            names.addAll(List.of(mine.name(), one.name(), two.name()));
            assertThat(names).doesNotHaveDuplicates();
            assertThat(tables(one.dataSource())).isEmpty();
            one.migrate().migrate();
            one.drop();
        }
        assertThat(new JdbcTemplate(mine.dataSource()).queryForList("SHOW DATABASES", String.class))
                .contains(names.get(0))
                .doesNotContain(names.get(1), names.get(2));
    }

    static List<String> tables(DataSource dataSource) {
        return new JdbcTemplate(dataSource).queryForList("SHOW TABLES", String.class);
    }

    @Nested
    class NestedTests {

        @Test
        void nestedClassSharesTheSchema(TestSchema schema, DataSource dataSource) throws Exception {
            try (Connection connection = dataSource.getConnection()) {
                assertThat(connection.getCatalog()).isEqualTo(schema.name());
            }
        }
    }
}
