package io.rowlock.client.transaction;

import io.rowlock.Printable;
import java.io.Serial;

/**
 * The row of a key is missing. The look for it may have locked the gap in which it belongs, so the transaction has to end
 * before the row can be created.
 */
final class MissingRowException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    MissingRowException(String key) {
        super("The row of the lock \"%s\" is missing".formatted(Printable.of(key)));
    }
}
