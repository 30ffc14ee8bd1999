package io.rowlock.sample.stage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

import com.mysql.cj.BindValue;
import com.mysql.cj.PreparedQuery;
import com.mysql.cj.Query;
import com.mysql.cj.QueryBindings;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the page shows of a statement and its values. */
class SqlTextTests {

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            order:42     | 'order:42'
            ключ:1       | 'ключ:1'
            it's         | 'it''s'
            x'41'        | 'x''41'''
            """)
    void bytesThatAreTextAreShownAsText(String key, String shown) {
        String bytes = "x'" + HexFormat.of().formatHex(key.getBytes(UTF_8)) + "'";
        assertThat(SqlText.of("DELETE FROM t WHERE k = " + bytes, mock(Query.class)))
                .isEqualTo("DELETE FROM t WHERE k = " + shown);
    }

    @ParameterizedTest
    @CsvSource({"x'ff00'", "x'00'", "x'0a'", "x'c3'"})
    void bytesThatAreNoTextStayBytes(String bytes) {
        assertThat(SqlText.of("SELECT " + bytes, mock(Query.class))).isEqualTo("SELECT " + bytes);
    }

    @Test
    void valuesThatAreSentApartAreShownInTheirPlaces() {
        String sql = """
                UPDATE t SET a = ?, b = 'is it? it''s'
                WHERE k = ? AND c = ?
                """;
        assertThat(SqlText.of(sql, prepared("NULL", "x'6b3a31'", "'what?'")))
                .isEqualTo("UPDATE t SET a = NULL, b = 'is it? it''s' WHERE k = 'k:1' AND c = 'what?'");
    }

    @Test
    void placeWithoutAValueStays() {
        assertThat(SqlText.of("SELECT ?, ?", prepared("1"))).isEqualTo("SELECT 1, ?");
        assertThat(SqlText.of("SELECT ?", mock(PreparedQuery.class))).isEqualTo("SELECT ?");
    }

    private static Query prepared(String... literals) {
        PreparedQuery query = mock(PreparedQuery.class);
        QueryBindings bindings = mock(QueryBindings.class);
        BindValue[] values = Stream.of(literals).map(SqlTextTests::value).toArray(BindValue[]::new);
        given(query.getQueryBindings()).willReturn(bindings);
        given(bindings.getBindValues()).willReturn(values);
        return query;
    }

    private static BindValue value(String literal) {
        BindValue value = mock(BindValue.class);
        given(value.isNull()).willReturn(literal.equals("NULL"));
        given(value.getString()).willReturn(literal);
        return value;
    }
}
