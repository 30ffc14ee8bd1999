package io.rowlock;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** The limits that every lock key and the name of every lock obey. */
final class LockKey {
    static final int MAX_BYTES = 255;

    /** The name of keys that do not say what they are keys of. */
    static final String OTHER = "other";

    /** A name this short has few enough bytes, whatever its characters are. */
    private static final int SHORT = MAX_BYTES / 3;

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

    /** Checks the name of a lock wherever many keys are counted together: in meters and events. */
    static String validatedName(String name) {
        if (name == null || name.isBlank()) {
            throw new IllegalArgumentException("A lock name must not be " + (name == null ? "null" : "blank"));
        }
        int bytes = name.length() <= SHORT ? 0 : name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_BYTES) {
            throw new IllegalArgumentException("The lock name \"%s…\" has %d bytes of UTF-8, the limit is %d"
                    .formatted(Printable.of(name.substring(0, SHORT)), bytes, MAX_BYTES));
        }
        int control = indexOfControl(name);
        if (control >= 0) {
            throw new IllegalArgumentException(
                    "The lock name \"%s\" has a control character at index %d".formatted(Printable.of(name), control));
        }
        return name;
    }

    private static int indexOfControl(String name) {
        for (int i = 0; i < name.length(); i++) {
            if (Character.isISOControl(name.charAt(i))) {
                return i;
            }
        }
        return -1;
    }

    /** Returns what the first of some keys, in their order, has before its first colon. */
    static String name(List<String> keys) {
        String first = "";
        for (String key : keys) {
            first = key != null && (first.isEmpty() || key.compareTo(first) < 0) ? key : first; // null is refused later
        }
        String name = first.substring(0, Math.max(0, first.indexOf(':')));
        return name.isBlank() || indexOfControl(name) >= 0 ? OTHER : name;
    }
}
