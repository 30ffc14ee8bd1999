package io.rowlock.client.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rowlock.Printable;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Where a page of locks ends. Strategies follow one another in the order of their names.
 *
 * @param strategy the strategy whose locks come next
 * @param cursor where they go on, as the strategy's store has it, or null at their first
 */
record PageCursor(String strategy, @Nullable String cursor) {
    /** @throws IllegalArgumentException if it is not what {@link #text} made */
    static PageCursor parse(String text) {
        try {
            String[] parts = new String(Base64.getUrlDecoder().decode(text), UTF_8).split("\n", 3);
            return new PageCursor(parts[1], parts[0].equals("1") ? parts[2] : null);
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            throw refusal(text, e);
        }
    }

    static IllegalArgumentException refusal(String text, @Nullable Exception cause) {
        return new IllegalArgumentException(
                "\"%s\" is not the end of a page; pass what \"next\" said, as it is".formatted(Printable.of(text)),
                cause);
    }

    String text() {
        String parts = (cursor == null ? "0" : "1") + "\n" + strategy + "\n" + (cursor == null ? "" : cursor);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(parts.getBytes(UTF_8));
    }
}
