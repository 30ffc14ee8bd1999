package io.rowlock.client.lock;

import io.rowlock.LockMode;
import io.rowlock.Printable;
import io.rowlock.client.request.ResolvedRequest;
import java.io.Serial;

/** A thread that holds a key asked for it in a way that it would itself be in the way of. */
public final class UpgradeRefusedException extends IllegalStateException {
    @Serial
    private static final long serialVersionUID = 1L;

    /** @param mode how the thread holds it */
    UpgradeRefusedException(ResolvedRequest wanted, LockMode mode) {
        super(message(wanted, mode).formatted(Printable.of(wanted.name())));
    }

    private static String message(ResolvedRequest wanted, LockMode mode) {
        if (mode == LockMode.SHARED) {
            return "The thread holds \"%s\" shared and asks for it exclusive: two that do so would wait for each other for ever,"
                    + " so a lock is never upgraded; release the shared one first";
        }
        return wanted.mode() == LockMode.PERMIT
                ? "The thread holds \"%s\" exclusive and asks for a permit of it: it would wait for itself; release the lock first"
                : "The thread holds a permit of \"%s\" and asks for it exclusive: it would wait for itself; release the permit first";
    }
}
