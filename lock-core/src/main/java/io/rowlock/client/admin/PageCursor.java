package io.rowlock.client.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rowlock.Printable;
import io.rowlock.store.inspection.KeyRange;
import java.util.Base64;

/**
 * Where a page of locks ends. Strategies follow one another in the order of their names.
 *
 * @param strategy the strategy whose locks come next
 * @param key the key of the last lock that was looked at, as the table has it; empty at the strategy's first
 * @param slot its slot
 */
record PageCursor(String strategy, String key, long slot) {
    /** Behind nothing. */
    static final PageCursor START = new PageCursor("", "", Long.MIN_VALUE);

    /** @throws IllegalArgumentException if it is not what {@link #text} made */
    static PageCursor parse(String text) {
        try {
            String[] parts = new String(Base64.getUrlDecoder().decode(text), UTF_8).split("\n", 3);
            return new PageCursor(parts[1], parts[2], Long.parseLong(parts[0]));
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            throw new IllegalArgumentException(
                    "\"%s\" is not the end of a page; pass what \"next\" said, as it is".formatted(Printable.of(text)),
                    e);
        }
    }

    /** Returns what is behind it, of its own strategy or of a later one. */
    KeyRange range(String of, String prefix) {
        return of.equals(strategy) ? new KeyRange(prefix, key, slot) : KeyRange.of(prefix);
    }

    String text() {
        String parts = slot + "\n" + strategy + "\n" + key;
        return Base64.getUrlEncoder().withoutPadding().encodeToString(parts.getBytes(UTF_8));
    }
}
