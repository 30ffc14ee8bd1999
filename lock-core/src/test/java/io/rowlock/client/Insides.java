package io.rowlock.client;

import io.rowlock.client.lock.ProcessLocks;
import java.util.concurrent.FutureTask;

/** Shows what a client is made of. */
public final class Insides {
    private Insides() {}

    public static ProcessLocks of(RowlockClient client) {
        return client.locks();
    }

    /** @see HandoffRushTests#inLine */
    public static void inLine(FutureTask<?> task) {
        HandoffRushTests.inLine(task);
    }
}
