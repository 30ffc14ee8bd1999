package io.rowlock.store.jdbc.rowlock;

import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.TablePrefix;

/** The clean-up of rows however young they are, so that it works on those that are in use. */
public final class EagerRowCleanUp {
    private EagerRowCleanUp() {}

    public static OldRowCleanUp of(LockDatabase database, TablePrefix prefix) {
        return new OldRowCleanUp(database, prefix, -1);
    }
}
