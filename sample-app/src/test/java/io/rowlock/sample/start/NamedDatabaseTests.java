package io.rowlock.sample.start;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.test.OnServer;
import io.rowlock.test.TestSchema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.env.MockEnvironment;

/** Which databases will do, and what is said of the others. */
@OnServer
class NamedDatabaseTests {

    @Test
    void takesOneThatAnswersAndIsNewEnough(TestSchema schema) {
        assertThatCode(() -> NamedDatabase.check(environment(schema, schema.jdbcUrl())))
                .doesNotThrowAnyException();
    }

    @Test
    void oneThatRefusesIsNotOneThatDoesNotAnswer(TestSchema schema) {
        String url = schema.jdbcUrl().replace(schema.name(), "none_such");
        assertThatExceptionOfType(NoDatabaseException.class)
                .isThrownBy(() -> NamedDatabase.check(environment(schema, url)))
                .withMessage("the one that SPRING_DATASOURCE_URL names cannot be used: Unknown database 'none_such'");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            5.7.44-log           | MySQL 5.7.44-log is too old, it takes MySQL 8.0 or MariaDB 10.6 or newer
            5.5.5-10.5.9-MariaDB | MariaDB 5.5.5-10.5.9-MariaDB is too old, it takes MySQL 8.0 or MariaDB 10.6 or newer
            """)
    void saysThatAnOldOneIsTooOld(String version, String sentence) {
        assertThatExceptionOfType(NoDatabaseException.class)
                .isThrownBy(() -> NamedDatabase.require(new ServerVersion(version)))
                .withMessage(sentence);
    }

    @Test
    void passwordInAnUrlOfAnotherDriverIsNotRepeated() {
        MockEnvironment environment =
                new MockEnvironment().withProperty(NamedDatabase.URL, "jdbc:mariadb://h/s?user=u&password=secret");
        assertThatExceptionOfType(NoDatabaseException.class)
                .isThrownBy(() -> NamedDatabase.check(environment))
                .withMessage("SPRING_DATASOURCE_URL must begin with jdbc:mysql:, for MariaDB too");
    }

    private static MockEnvironment environment(TestSchema schema, String url) {
        return new MockEnvironment()
                .withProperty(NamedDatabase.URL, url)
                .withProperty("spring.datasource.username", schema.username())
                .withProperty("spring.datasource.password", schema.password());
    }
}
