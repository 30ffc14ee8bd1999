package io.rowlock.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.store.inspection.KeyRange;
import org.junit.jupiter.api.Test;

class KeyRangeTests {
    @Test
    void rangeIsThatOfThePrefix() {
        KeyRange range = KeyRange.of("a:");
        assertThat(range.first()).containsExactly('a', ':');
        assertThat(range.end()).containsExactly('a', ';');
        assertThat(range.contains("a:", 0)).isTrue();
        assertThat(range.contains("a", 0) || range.contains("a;", 0)).isFalse();
        assertThat(new KeyRange("a:", "a:5", 0).first()).containsExactly('a', ':', '5');
        assertThat(new KeyRange("", "", 0).end()).containsExactly(0xff);
    }

    @Test
    void rangeBeginsBehindALock() {
        KeyRange behind = new KeyRange("", "a b", 7);
        assertThat(behind.contains("a b", 7)).isFalse();
        assertThat(behind.contains("a b", 8)).isTrue();
        assertThat(behind.contains("c", 0)).isTrue();
        assertThat(behind.contains("\uD83D\uDE00", 0)).isTrue();
    }

    @Test
    void orderIsThatOfBytes() {
        KeyRange behind = new KeyRange("", "\uFFFD", 0); // before an emoji in UTF-8, behind it in UTF-16
        assertThat(behind.contains("\uD83D\uDE00", 0)).isTrue();
    }
}
