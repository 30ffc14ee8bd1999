package io.rowlock.client.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rowlock.Printable;
import io.rowlock.store.KeyRange;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;

/**
 * Where a page of locks ends: at one lock, in the order of the keys' bytes, then of the strategies' names, then of the slots.
 *
 * @param key the lock's key as the table has it
 * @param strategy its strategy
 * @param slot its slot
 */
record PageCursor(String key, String strategy, long slot) {
    static final Comparator<PageCursor> ORDER = Comparator.comparing(
                    (PageCursor cursor) -> cursor.key().getBytes(UTF_8), Arrays::compareUnsigned)
            .thenComparing(PageCursor::strategy)
            .thenComparing(PageCursor::slot);

    /** Before any lock: no key is empty. */
    static final PageCursor START = new PageCursor("", "", Long.MIN_VALUE);

    static PageCursor of(LockInfo seen) {
        return new PageCursor(seen.lock().key(), seen.strategy(), seen.lock().slot());
    }

    /** @throws IllegalArgumentException if it is not what {@link #text} made */
    static PageCursor parse(String text) {
        try {
            String[] parts = new String(Base64.getUrlDecoder().decode(text), UTF_8).split(" ", 3);
            return new PageCursor(parts[2], parts[1], Long.parseLong(parts[0]));
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            throw new IllegalArgumentException(
                    "\"%s\" is not the end of a page; pass what \"next\" said, as it is".formatted(Printable.of(text)),
                    e);
        }
    }

    String text() {
        String parts = slot + " " + strategy + " " + key;
        return Base64.getUrlEncoder().withoutPadding().encodeToString(parts.getBytes(UTF_8));
    }

    /** The locks of a strategy that come behind. */
    KeyRange behind(String prefix, String other) {
        int order = other.compareTo(strategy);
        long after = order == 0 ? slot : order < 0 ? Long.MAX_VALUE : Long.MIN_VALUE;
        return new KeyRange(prefix, key, after);
    }
}
