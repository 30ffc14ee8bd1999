package io.rowlock.client;

import io.rowlock.Printable;
import java.io.Serial;

/** A thread that holds a lock shared asked for it exclusive. */
final class UpgradeRefusedException extends IllegalStateException {
    @Serial
    private static final long serialVersionUID = 1L;

    UpgradeRefusedException(String key) {
        super("The thread holds \"%s\" shared and asks for it exclusive: two that do so would wait for each other"
                        .formatted(Printable.of(key))
                + " for ever, so a lock is never upgraded; release the shared one first");
    }
}
