package io.rowlock.store.jdbc.cleanup;

import io.rowlock.store.Maintenance;
import io.rowlock.store.jdbc.LockDatabase;
import io.rowlock.store.jdbc.TablePrefix;
import java.time.Duration;

/** The clean-up with nothing of its grace, so that it works on rows others have just left. */
public final class ImpatientCleanUp {
    private ImpatientCleanUp() {}

    public static Maintenance of(LockDatabase database, TablePrefix prefix, Duration keepIdle) {
        return new TableCleanUp(database, prefix, keepIdle, Duration.ofSeconds(2), Duration.ofMillis(20));
    }
}
