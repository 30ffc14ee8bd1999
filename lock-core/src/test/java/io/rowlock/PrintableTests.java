package io.rowlock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PrintableTests {
    @ParameterizedTest
    @CsvSource({
        "PT30S, 30s",
        "PT0S, 0s",
        "PT1M30S, 1m30s",
        "PT24H, 1d",
        "PT-1S, -1s",
        "PT3.123456789S, 3s123ms",
        "PT0.0000005S, 500ns"
    })
    void durationIsShownAsPeopleWriteIt(Duration duration, String shown) {
        assertThat(Printable.of(duration)).isEqualTo(shown);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "order:42", "a b/c\\d", "ü/€", "\"'", "锁", "😀"})
    void ordinaryTextStaysAsItIs(String text) {
        assertThat(Printable.of(text)).isSameAs(text);
    }

    @ParameterizedTest
    @CsvSource({
        "10, '\\n'",
        "13, '\\r'",
        "9, '\\t'",
        "0, '\\u0000'",
        "27, '\\u001b'",
        "127, '\\u007f'",
        "133, '\\u0085'",
        "8206, '\\u200e'",
        "8232, '\\u2028'",
        "8233, '\\u2029'",
        "8238, '\\u202e'",
        "8295, '\\u2067'",
        "65279, '\\ufeff'",
        "55357, '\\ud83d'",
        "917505, '\\u{e0001}'"
    })
    void whatMovesOrHidesOtherTextIsEscaped(int character, String escape) {
        String text = "a" + Character.toString(character) + "b";
        assertThat(Printable.of(text)).isEqualTo("a" + escape + "b");
        assertThat(Printable.of(Printable.of(text))).isEqualTo("a" + escape + "b");
    }

    @Test
    void exceptionsAreOneLine() {
        String key = "a\nWARN b";
        LockNotAcquiredException busy = new LockNotAcquiredException(key, java.time.Duration.ZERO, "node\r1");
        assertThat(busy.getMessage()).contains("\"a\\nWARN b\"", "node\\r1");
        assertThat(busy.key()).isEqualTo(key);
        assertThat(busy.holder()).contains("node\r1");
    }
}
