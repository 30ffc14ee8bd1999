package io.rowlock.store.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.TestSchema;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** Older servers say whether they take writes as a number, and MariaDB from version 12 on as a text. */
@OnEachServer
class ReadOnlyTests {
    @ParameterizedTest
    @CsvSource({"0, false", "1, true", "'OFF', false", "'ON', true", "'NO_LOCK', true", "'NO_LOCK_NO_ADMIN', true"})
    void serverTakesNoWritesUnlessItIsOff(String value, boolean readOnly, TestSchema schema) {
        String literal = Character.isDigit(value.charAt(0)) ? value : "'" + value + "'";
        assertThat(asked(schema, literal)).isEqualTo(readOnly);
    }

    private static Boolean asked(TestSchema schema, String value) {
        String sql = "SELECT " + JdbcText.READ_ONLY.replace("@@global.read_only", value);
        return new JdbcTemplate(schema.dataSource()).queryForObject(sql, Boolean.class);
    }
}
