package io.rowlock.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.test.database.TestSchema;
import javax.sql.DataSource;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

@Isolated("an application that starts sets the logging of the JVM up anew")
@SpringBootTest(
        classes = SpringBootOnServerTests.Application.class,
        properties = "spring.datasource.url=jdbc:mysql://nobody.invalid/x")
@OnServer
class SpringBootOnServerTests {

    private final JdbcTemplate jdbc;
    private final TestSchema schema;

    SpringBootOnServerTests(@Autowired JdbcTemplate jdbc, TestSchema schema) {
        this.jdbc = jdbc;
        this.schema = schema;
    }

    @Test
    void applicationUsesTheSchemaOfTheClass(@Value("${spring.datasource.url}") String url) {
        assertThat(url).isEqualTo(schema.jdbcUrl());
        assertThat(jdbc.queryForObject("SELECT DATABASE()", String.class)).isEqualTo(schema.name());
    }

    @Test
    void tablesAreLeftToTheApplication() {
        assertThat(jdbc.queryForList("SHOW TABLES", String.class)).isEmpty();
    }

    @Test
    void springInjectsItsOwnPoolAndTheExtensionThePlainOne(@Autowired DataSource pool, DataSource plain) {
        assertThat(pool).isSameAs(jdbc.getDataSource());
        assertThat(plain).isNotSameAs(pool);
    }

    @Nested
    class NestedTests {

        @Test
        void nestedClassSharesTheSchema(TestSchema mine, @Autowired JdbcTemplate template) {
            assertThat(mine).isEqualTo(schema);
            assertThat(template.queryForObject("SELECT DATABASE()", String.class))
                    .isEqualTo(mine.name());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
