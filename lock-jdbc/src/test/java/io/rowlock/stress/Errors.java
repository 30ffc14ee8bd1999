package io.rowlock.stress;

import java.sql.SQLException;
import java.sql.SQLTimeoutException;

/** Errors by kind. */
final class Errors {
    private Errors() {}

    static String name(Throwable thrown) {
        int code = code(thrown);
        return thrown.getClass().getSimpleName() + (code == 0 ? "" : " " + code);
    }

    static boolean isDeadlock(Throwable thrown) {
        return code(thrown) == 1213;
    }

    /** A row lock was waited for in vain, or until the statement was cancelled. */
    static boolean isLockWait(Throwable thrown) {
        return code(thrown) == 1205 || thrown.getCause() instanceof SQLTimeoutException;
    }

    private static int code(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException error && error.getErrorCode() != 0) {
                return error.getErrorCode();
            }
        }
        return 0;
    }
}
