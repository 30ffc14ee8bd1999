package io.rowlock;

import java.nio.charset.StandardCharsets;

/** The limits every lock key obeys. */
final class LockKey {
    static final int MAX_BYTES = 255;

    /** Ends the prefix of an application in the tables, so that no prefix is the beginning of another one. */
    static final char PREFIX_END = '\u001f';

    private LockKey() {}

    static String validated(String key) {
        if (key == null || key.isEmpty()) {
            throw new IllegalArgumentException("A lock key must not be " + (key == null ? "null" : "empty"));
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(key)) {
            throw new IllegalArgumentException(
                    "The lock key \"%s\" is not valid Unicode: a surrogate in it has no partner"
                            .formatted(abbreviated(key)));
        }
        if (key.indexOf(PREFIX_END) >= 0) {
            throw new IllegalArgumentException(
                    "The lock key \"%s\" has the character U+001F, which ends the prefixes of applications in the tables"
                            .formatted(abbreviated(key)));
        }
        int bytes = key.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_BYTES) {
            throw new IllegalArgumentException("The lock key \"%s\" has %d bytes of UTF-8, the limit is %d"
                    .formatted(abbreviated(key), bytes, MAX_BYTES));
        }
        return key;
    }

    private static String abbreviated(String key) {
        return Printable.of(key.length() <= 80 ? key : key.substring(0, 80) + "…");
    }
}
