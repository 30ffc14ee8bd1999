package io.rowlock.store.jdbc.lease;

/** Shows how many more positions in queues a process may have. */
public final class FreePositions {
    private FreePositions() {}

    public static int of(NamedLocks namedLocks) {
        return namedLocks.free.availablePermits();
    }
}
