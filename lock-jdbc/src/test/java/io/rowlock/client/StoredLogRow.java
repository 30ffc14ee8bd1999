package io.rowlock.client;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDateTime;
import org.jspecify.annotations.Nullable;

/** A row of the lock log, as it is in the table. */
record StoredLogRow(
        String key,
        String mode,
        String owner,
        long fence,
        String status,
        LocalDateTime acquired,
        @Nullable LocalDateTime completed,
        @Nullable LocalDateTime released,
        long waitedMicros) {

    static StoredLogRow of(ResultSet row, int number) throws SQLException {
        return new StoredLogRow(
                row.getString("lock_key"),
                row.getString("mode"),
                row.getString("owner"),
                row.getLong("fence"),
                row.getString("status"),
                row.getObject("acquired_at", LocalDateTime.class),
                row.getObject("completed_at", LocalDateTime.class),
                row.getObject("released_at", LocalDateTime.class),
                row.getLong("waited_micros"));
    }
}
