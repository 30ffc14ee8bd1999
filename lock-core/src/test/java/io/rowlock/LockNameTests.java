package io.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LockNameTests {
    @ParameterizedTest
    @CsvSource({"order:42,order", "a:b:c,a", "nightly,other", ":42,other", "' :1',other"})
    void nameIsWhatTheKeyHasBeforeItsFirstColon(String key, String name) {
        assertThat(LockRequest.exclusive(key).name()).isEqualTo(name);
    }

    @Test
    void firstOfSeveralKeysCounts() {
        assertThat(LockRequest.shared("stock:2", "order:1", "zzz").name()).isEqualTo("order");
    }

    @Test
    void givenNameWinsAndStays() {
        LockRequest request = LockRequest.exclusive("order:42").withName("checkout");
        assertThat(request.name()).isEqualTo("checkout");
        assertThat(request.withRenewal(false).withOnLost(OnLost.INTERRUPT).name())
                .isEqualTo("checkout");
        assertThat(request.keys()).containsExactly("order:42");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t"})
    void blankNameIsRefused(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockRequest.exclusive("a").withName(name))
                .withMessageContaining("must not be blank");
    }

    @Test
    void longestNameIsCountedInBytes() {
        String longest = "é".repeat(127) + "x";
        assertThat(LockRequest.exclusive("a").withName(longest).name()).isEqualTo(longest);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockRequest.exclusive("a").withName(longest + "y"))
                .withMessageContaining("256 bytes")
                .withMessageContaining("the limit is 255");
    }

    @Test
    void controlCharactersAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockRequest.exclusive("a").withName("two\nlines"))
                .withMessageContaining("\"two\\nlines\"")
                .withMessageContaining("index 3");
        assertThat(LockRequest.exclusive("two\nlines:1").name()).isEqualTo("other");
    }
}
