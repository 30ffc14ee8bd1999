package io.rowlock.autoconfigure.datasource;

import com.zaxxer.hikari.SQLExceptionOverride;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Has a pool close connections to a server that refuses to write, so that the next one is opened to the server that took over. A
 * server that became a secondary leaves its connections open.
 *
 * @param next what else decides, or null
 */
record UnfitServerEviction(@Nullable SQLExceptionOverride next) implements SQLExceptionOverride {
    /** A Galera node that has lost the majority. */
    private static final int NOT_IN_PRIMARY_COMPONENT = 1047;

    @java.lang.Override
    public SQLExceptionOverride.Override adjudicate(SQLException error) {
        if (ServerErrors.isReadOnly(error) || error.getErrorCode() == NOT_IN_PRIMARY_COMPONENT) {
            return SQLExceptionOverride.Override.MUST_EVICT;
        }
        return next == null ? SQLExceptionOverride.Override.CONTINUE_EVICT : next.adjudicate(error);
    }
}
