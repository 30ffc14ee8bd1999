package io.rowlock.autoconfigure.database;

import com.zaxxer.hikari.SQLExceptionOverride;
import io.rowlock.store.jdbc.session.SqlFailure;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Makes a pool close connections to a server that refuses to write, so that the next one is opened to the server that took over. A
 * server that became a secondary leaves its connections open.
 *
 * @param next what else decides, or null
 */
record UnfitServerEviction(@Nullable SQLExceptionOverride next) implements SQLExceptionOverride {
    @java.lang.Override
    public SQLExceptionOverride.Override adjudicate(SQLException error) {
        SqlFailure failure = SqlFailure.of(error);
        if (failure == SqlFailure.READ_ONLY || failure == SqlFailure.NOT_PRIMARY) {
            return SQLExceptionOverride.Override.MUST_EVICT;
        }
        return next == null ? SQLExceptionOverride.Override.CONTINUE_EVICT : next.adjudicate(error);
    }
}
