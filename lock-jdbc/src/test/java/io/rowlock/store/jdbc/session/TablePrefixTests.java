package io.rowlock.store.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rowlock.store.jdbc.session.TablePrefix.Table;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TablePrefixTests {

    @Test
    void tablesAreNamedAfterThePrefix() {
        TablePrefix prefix = new TablePrefix("app1_");
        assertThat(prefix.of(Table.LOCK)).isEqualTo("app1_lock");
        assertThat(prefix.of(Table.LOCK_LOG)).isEqualTo("app1_lock_log");
        assertThat(new TablePrefix("x".repeat(30)).of(Table.LOCK)).hasSize(34);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "1a",
                "a b",
                "a.b",
                "a`b",
                "a;DROP TABLE x",
                "a-b",
                "\u00e4",
                "a\n",
                "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
            })
    void whatCouldNotStandInAStatementIsRefused(String value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TablePrefix(value))
                .withMessageContaining("\"" + value + "\"")
                .withMessageContaining("30");
    }
}
