package io.rowlock.store.jdbc;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** How many servers take writes: what somebody said, else what the server says, asked once. Thread-safe. */
final class KnownWriters {
    private volatile @Nullable Writers known;

    /** @param said what is known without asking, or null */
    KnownWriters(@Nullable Writers said) {
        known = said;
    }

    @Nullable
    Writers known() {
        return known;
    }

    Writers of(Session session) throws SQLException {
        Writers present = known;
        if (present == null) {
            present = Cluster.of(session).writers();
            known = present;
        }
        return present;
    }
}
