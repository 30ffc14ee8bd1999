package io.rowlock.store.jdbc.cleanup;

import io.rowlock.store.Maintenance;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.time.Duration;
import java.util.function.IntSupplier;

/** The clean-up with nothing of its grace and of its rests, so that it works on rows others have just left, and its steps one by one. */
public final class ImpatientCleanUp {
    private ImpatientCleanUp() {}

    public static Maintenance of(LockDatabase database, TablePrefix prefix, Duration keepIdle) {
        return new TableCleanUp(database, prefix, keepIdle, -1, Duration.ofMillis(20), Duration.ofSeconds(2), 0);
    }

    /** Removes rows of row locks however young they are, so that it works on those that are in use. */
    public static IntSupplier ofRows(LockDatabase database, TablePrefix prefix) {
        return new OldRowCleanUp(database, prefix, -1)::remove;
    }

    public static IntSupplier ofRows(LockDatabase database, TablePrefix prefix, Duration keep) {
        return new OldRowCleanUp(database, prefix, OldRowCleanUp.days(keep))::remove;
    }

    public static IntSupplier ofTokens(LockDatabase database, TablePrefix prefix, Duration keep) {
        return OldKeyCleanUp.ofFences(database, prefix, keep)::remove;
    }
}
