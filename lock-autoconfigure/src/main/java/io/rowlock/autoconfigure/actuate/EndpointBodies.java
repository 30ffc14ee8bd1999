package io.rowlock.autoconfigure.actuate;

import io.rowlock.client.admin.LockAdmin;
import io.rowlock.client.lock.ProcessLocks;
import io.rowlock.store.LockLog.LogRow;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** The answers of the endpoint, as they become JSON. Nulls are left out. */
final class EndpointBodies {
    private EndpointBodies() {}

    /**
     * A page of locks.
     *
     * @param next what to pass as {@code after} for the next page
     * @param node the process that answers, and its own locks
     */
    record Locks(List<LockAdmin.Held> locks, @Nullable String next, ProcessLocks.Node node)
            implements OperationResponseBody {}

    /** The holders of one key and its last log rows. */
    record OneKey(String key, List<LockAdmin.Held> holders, int localWaiters, List<LogRow> log)
            implements OperationResponseBody {}

    /** Past grants, the latest first. */
    record History(List<LogRow> log) implements OperationResponseBody {}

    /** Why there is nothing else. */
    record Problem(String error) implements OperationResponseBody {}
}
