package io.rowlock.client.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rowlock.store.KeyRange;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PageCursorTests {
    @ParameterizedTest
    @ValueSource(strings = {"a", "a b  c ", "ü/€ \uD83D\uDE00", " "})
    void textBringsItBack(String key) {
        PageCursor cursor = new PageCursor(key, "row-lock", 12_345L);
        assertThat(PageCursor.parse(cursor.text())).isEqualTo(cursor);
        assertThat(cursor.text()).matches("[A-Za-z0-9_-]+");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "€", "YQ", "YSBiIGM"})
    void anythingElseIsRefused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PageCursor.parse(text))
                .withMessageContaining("\"" + text + "\"");
    }

    @Test
    void orderIsThatOfBytes() {
        List<PageCursor> sorted = List.of(
                PageCursor.START,
                new PageCursor("a", "lease", 1),
                new PageCursor("a", "lease", 2),
                new PageCursor("a", "unique-key", 0),
                new PageCursor("\uFFFD", "lease", 0),
                new PageCursor("\uD83D\uDE00", "lease", 0)); // after it in UTF-8, before it in UTF-16
        assertThat(sorted).isSortedAccordingTo(PageCursor.ORDER);
    }

    @Test
    void whatComesBehindDependsOnTheStrategy() {
        PageCursor cursor = new PageCursor("a", "row-lock", 7);
        assertThat(cursor.behind("", "row-lock").contains("a", 7)).isFalse();
        assertThat(cursor.behind("", "row-lock").contains("a", 8)).isTrue();
        assertThat(cursor.behind("", "lease").contains("a", 8)).isFalse();
        assertThat(cursor.behind("", "unique-key").contains("a", 0)).isTrue();
        assertThat(cursor.behind("", "lease").contains("b", 0)).isTrue();
        assertThat(PageCursor.START.behind("", "lease").contains("a", 0)).isTrue();
    }

    @Test
    void rangeIsThatOfThePrefix() {
        KeyRange range = PageCursor.START.behind("a:", "lease");
        assertThat(range.first()).containsExactly('a', ':');
        assertThat(range.end()).containsExactly('a', ';');
        assertThat(range.contains("a:", 0)).isTrue();
        assertThat(range.contains("a", 0) || range.contains("a;", 0)).isFalse();
        assertThat(new KeyRange("a:", "a:5", 0).first()).containsExactly('a', ':', '5');
        assertThat(new KeyRange("", "", 0).end()).containsExactly(0xff);
    }
}
