package io.rowlock.stress;

import java.sql.SQLException;

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

    private static int code(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException error && error.getErrorCode() != 0) {
                return error.getErrorCode();
            }
        }
        return 0;
    }
}
