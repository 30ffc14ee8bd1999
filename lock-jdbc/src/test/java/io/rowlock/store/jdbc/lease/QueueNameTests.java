package io.rowlock.store.jdbc.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.test.BeforeServer;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.TestSchema;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@OnEachServer(dependsOnServer = true)
class QueueNameTests {
    private TestSchema schema;

    @BeforeServer
    void open(TestSchema schema) {
        this.schema = schema;
    }

    private String name(String table, String key, String database) {
        SingleConnectionDataSource one =
                new SingleConnectionDataSource(schema.jdbcUrl(), schema.username(), schema.password(), true);
        try {
            JdbcTemplate jdbc = new JdbcTemplate(one);
            jdbc.execute("USE " + database);
            return String.valueOf(jdbc.queryForObject("SELECT " + NamedLocks.name(table, "?"), String.class, (Object)
                    key.getBytes(StandardCharsets.UTF_8)));
        } finally {
            one.destroy();
        }
    }

    private String name(String table, String key) {
        return name(table, key, schema.name());
    }

    private List<String> names() {
        return Stream.of(
                        name("rowlock_lock", "a"),
                        name("rowlock_lock", "A"),
                        name("rowlock_lock", "a "),
                        name("rowlock_lock", "Ärger 🔒"),
                        name("rowlock_lock", "k".repeat(255)),
                        name("rowlock_lock", "k".repeat(254)),
                        name("other_lock", "a"),
                        name("rowlock_lock", "a", "information_schema"))
                .toList();
    }

    @Test
    void everyNameIsOneTheServerTakesAndTellsFromAllOthers() {
        assertThat(names()).allMatch(name -> name.length() <= 64).allMatch(name -> name.matches("[a-z0-9:]+"));
        assertThat(names()).doesNotHaveDuplicates();
    }

    @Test
    void sameKeyHasTheSameNameInEveryProcess() {
        assertThat(name("rowlock_lock", "a")).isEqualTo(name("rowlock_lock", "a"));
    }
}
