package io.rowlock.autoconfigure.diagnostics;

import io.rowlock.Printable;
import org.jspecify.annotations.Nullable;

/** The application is set up in a way Rowlock cannot work with. Says what was found, in one line, and what to do about it. */
public class RowlockSetupException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String action;

    public RowlockSetupException(String found, String action) {
        this(found, action, null);
    }

    public RowlockSetupException(String found, String action, @Nullable Throwable cause) {
        super(Printable.of(found), cause);
        this.action = action;
    }

    String action() {
        return action;
    }
}
