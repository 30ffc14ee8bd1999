package io.rowlock.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rowlock.LockMode;
import io.rowlock.store.inspection.KeyRange;
import io.rowlock.store.inspection.LiveLock;
import io.rowlock.store.inspection.StoreInspection.LivePage;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyRangeTests {
    private static LiveLock lock(String key, long slot) {
        return new LiveLock(key, LockMode.SHARED, slot, "owner", 1L, null, null);
    }

    @Test
    void rangeIsThatOfThePrefix() {
        KeyRange range = KeyRange.of("a:", null);
        assertThat(range.first()).containsExactly('a', ':');
        assertThat(range.end()).containsExactly('a', ';');
        assertThat(range.contains("a:", 0)).isTrue();
        assertThat(range.contains("a", 0) || range.contains("a;", 0)).isFalse();
        assertThat(new KeyRange("a:", "a:5", 0).first()).containsExactly('a', ':', '5');
        assertThat(new KeyRange("", "", 0).end()).containsExactly(0xff);
    }

    @Test
    void nextPageBeginsBehindTheLastLock() {
        LivePage page = KeyRange.page(List.of(lock("a b", 3), lock("a b", 7), lock("c", 0)), 2);
        assertThat(page.locks()).extracting(LiveLock::slot).containsExactly(3L, 7L);
        KeyRange behind = KeyRange.of("", page.next());
        assertThat(behind.contains("a b", 7)).isFalse();
        assertThat(behind.contains("a b", 8)).isTrue();
        assertThat(behind.contains("c", 0)).isTrue();
        assertThat(behind.contains("\uD83D\uDE00", 0)).isTrue();
        assertThat(KeyRange.page(List.of(lock("a", 0)), 1).next()).isNull();
    }

    @Test
    void orderIsThatOfBytes() {
        KeyRange behind = new KeyRange("", "\uFFFD", 0); // before an emoji in UTF-8, behind it in UTF-16
        assertThat(behind.contains("\uD83D\uDE00", 0)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "x y", "9"})
    void anythingElseIsRefused(String cursor) {
        assertThatIllegalArgumentException().isThrownBy(() -> KeyRange.of("", cursor));
    }
}
