package io.rowlock.autoconfigure.actuate;

import io.rowlock.LockMode;
import io.rowlock.autoconfigure.database.LockPools;
import io.rowlock.client.admin.LockInfo;
import io.rowlock.client.admin.NodeInfo;
import io.rowlock.store.LockLog.LogRow;
import io.rowlock.store.inspection.LiveLock;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.OneWriterCheck;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** The answers of the endpoint, as they become JSON. Nulls are left out. */
final class EndpointBodies {
    private EndpointBodies() {}

    /**
     * A page of locks.
     *
     * @param next what to pass as {@code after} for the next page
     */
    record Locks(List<Lock> locks, @Nullable String next, Node node) implements OperationResponseBody {}

    /** The holders of one key and its last log rows. */
    record OneKey(String key, List<Lock> holders, int localWaiters, List<Grant> log) implements OperationResponseBody {}

    /** Past grants, the latest first. */
    record History(List<Grant> log) implements OperationResponseBody {}

    /** Why there is nothing else. */
    record Problem(String error) implements OperationResponseBody {}

    /** A lock that is held. */
    record Lock(
            String key,
            String name,
            LockMode mode,
            String owner,
            boolean thisNode,
            @Nullable Long token,
            @Nullable Instant since,
            @Nullable Duration remaining,
            int localWaiters,
            String strategy) {

        static Lock of(LockInfo seen) {
            LiveLock lock = seen.lock();
            return new Lock(
                    seen.key(),
                    seen.name(),
                    lock.mode(),
                    lock.owner(),
                    seen.thisNode(),
                    lock.fence(),
                    lock.since(),
                    lock.remaining(),
                    seen.localWaiters(),
                    seen.strategy());
        }
    }

    /** A row of the lock log. */
    record Grant(
            String key,
            String strategy,
            LockMode mode,
            String owner,
            long token,
            String status,
            Instant acquiredAt,
            @Nullable Instant completedAt,
            @Nullable Instant releasedAt,
            Duration waited,
            @Nullable String note) {

        static Grant of(LogRow row) {
            return new Grant(
                    row.key(),
                    row.strategy(),
                    row.mode(),
                    row.owner(),
                    row.fencingToken(),
                    row.status(),
                    row.acquiredAt(),
                    row.completedAt(),
                    row.releasedAt(),
                    row.waited(),
                    row.note());
        }
    }

    /**
     * The servers that keep the locks.
     *
     * @param cluster what the server is part of
     */
    record Servers(String cluster) {
        static Servers of(LockDatabase database) {
            return new Servers(OneWriterCheck.cluster(database).toString());
        }
    }

    /** The own locks of the process that answers. */
    record Node(
            String owner,
            String strategy,
            int held,
            int atRisk,
            int waiting,
            Duration renewalLag,
            @Nullable Servers database,
            Map<String, LockPools.Use> pools) {

        static Node of(NodeInfo state, @Nullable Servers database, Map<String, LockPools.Use> pools) {
            return new Node(
                    state.owner(),
                    state.strategy(),
                    state.held(),
                    state.atRisk(),
                    state.waiting(),
                    state.renewalLag(),
                    database,
                    pools);
        }
    }
}
