package io.rowlock.client.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PageCursorTests {
    @ParameterizedTest
    @ValueSource(strings = {"", "a", "a b  c ", "ü/€ \uD83D\uDE00", " ", "a\nb\n"})
    void textBringsItBack(String cursor) {
        PageCursor page = new PageCursor("row-lock", cursor);
        assertThat(PageCursor.parse(page.text())).isEqualTo(page);
        assertThat(page.text()).matches("[A-Za-z0-9_-]+");
    }

    @Test
    void firstPageOfAStrategyHasNoCursor() {
        PageCursor page = new PageCursor("row-lock", null);
        assertThat(PageCursor.parse(page.text())).isEqualTo(page);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "€", "YQ", "YSBiIGM"})
    void anythingElseIsRefused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PageCursor.parse(text))
                .withMessageContaining("\"" + text + "\"");
    }
}
