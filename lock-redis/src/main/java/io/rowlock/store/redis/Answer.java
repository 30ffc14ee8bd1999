package io.rowlock.store.redis;

import java.util.List;

/**
 * The answer of a script: a letter, the server's time, and what else belongs to it.
 *
 * @param parts texts and numbers
 */
record Answer(List<Object> parts) {
    String status() {
        return text(0);
    }

    /** The server's time in microseconds. */
    long time() {
        return number(1);
    }

    String text(int index) {
        return String.valueOf(parts.get(index));
    }

    long number(int index) {
        Object part = parts.get(index);
        return part instanceof Long number ? number : Long.parseLong(String.valueOf(part));
    }

    boolean isTrue(int index) {
        return number(index) == 1;
    }

    int size() {
        return parts.size();
    }
}
