package io.rowlock.store.jdbc.cleanup;

import io.rowlock.store.Maintenance;
import io.rowlock.store.jdbc.log.LogCleanUp;
import io.rowlock.store.jdbc.rowlock.EagerRowCleanUp;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.time.Duration;

/** The clean-up with nothing of its grace, so that it works on rows others have just left. */
public final class ImpatientCleanUp {
    private ImpatientCleanUp() {}

    public static Maintenance of(LockDatabase database, TablePrefix prefix, Duration keepIdle) {
        Duration grace = Duration.ofMillis(20);
        return new TableCleanUp(
                database,
                prefix,
                keepIdle,
                grace,
                EagerRowCleanUp.of(database, prefix),
                new LogCleanUp(database, prefix, grace, Duration.ofSeconds(2)));
    }
}
