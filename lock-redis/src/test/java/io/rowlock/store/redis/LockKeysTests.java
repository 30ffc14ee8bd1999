package io.rowlock.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.SlotHash;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockKeysTests {
    private final LockKeys keys = new LockKeys("rowlock:");

    @ParameterizedTest
    @ValueSource(strings = {"a", "}x", "a{b", "{}", "%7B", "%", "a\0b", "\ud83d\udd12", "a*b?[c]^\\-"})
    void keysOfALockAreInOneSlotAndSayWhichLockItIs(String lockKey) {
        assertThat(Arrays.stream(keys.of(lockKey)).map(SlotHash::getSlot).distinct())
                .hasSize(1);
        assertThat(keys.lockKey(keys.gate(lockKey))).isEqualTo(lockKey);
    }

    @Test
    void slotDependsOnTheLockKeyAlone() {
        assertThat(SlotHash.getSlot(keys.gate("}x"))).isNotEqualTo(SlotHash.getSlot(keys.gate("}y")));
    }

    @Test
    void patternTakesSignsAsTheyAre() {
        assertThat(keys.pattern("a*[b]?")).isEqualTo("rowlock:{a\\*\\[b\\]\\?*}");
        assertThat(keys.pattern("")).isEqualTo("rowlock:{*}");
    }
}
