package io.rowlock.store.jdbc;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** How many servers take writes: what somebody said, else what the server says, asked once. Thread-safe. */
public final class KnownWriters {
    private volatile @Nullable Writers known;

    /** @param said what is known without asking, or null */
    public KnownWriters(@Nullable Writers said) {
        known = said;
    }

    @Nullable
    public Writers known() {
        return known;
    }

    public Writers of(Session session) throws SQLException {
        Writers present = known;
        if (present == null) {
            present = Cluster.of(session).writers();
            known = present;
        }
        return present;
    }
}
