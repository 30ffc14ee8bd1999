package io.rowlock.store.jdbc;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** How many servers take writes: as configured, else as the server says, asked once. Thread-safe. */
public final class KnownWriters {
    private volatile @Nullable Writers known;

    /** @param configured what is known without asking, or null */
    public KnownWriters(@Nullable Writers configured) {
        known = configured;
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
