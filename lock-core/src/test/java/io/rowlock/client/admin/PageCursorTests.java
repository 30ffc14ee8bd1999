package io.rowlock.client.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rowlock.store.inspection.KeyRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PageCursorTests {
    @ParameterizedTest
    @ValueSource(strings = {"", "a", "a b  c ", "ü/€ \uD83D\uDE00", " ", "a\nb\n"})
    void textBringsItBack(String key) {
        PageCursor page = new PageCursor("row-lock", key, Long.MAX_VALUE);
        assertThat(PageCursor.parse(page.text())).isEqualTo(page);
        assertThat(page.text()).matches("[A-Za-z0-9_-]+");
    }

    @Test
    void firstPageIsBehindNothing() {
        assertThat(PageCursor.START.range("row-lock", "a")).isEqualTo(KeyRange.of("a"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "€", "YQ", "YSBiIGM"})
    void anythingElseIsRefused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PageCursor.parse(text))
                .withMessageContaining("\"" + text + "\"");
    }
}
