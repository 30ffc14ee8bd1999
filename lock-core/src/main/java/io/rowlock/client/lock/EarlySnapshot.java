package io.rowlock.client.lock;

import io.rowlock.LockMode;
import io.rowlock.store.CommitCheck;
import io.rowlock.store.CommitCheck.Trait;
import io.rowlock.store.Lease;
import io.rowlock.store.SnapshotMarks;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Refuses the commit of a transaction that acquired a lock after it had begun to read. A transaction with REPEATABLE READ, the default
 * of MySQL, goes on to read all data as it was at its first read, and would write over what the former holder has committed.
 *
 * <p>Each grant is looked for right before the commit, never earlier: a question at the grant would let the transaction begin to
 * read, too early for its next lock. If the transaction sees the row that the grant wrote, it began to read after the grant. Where
 * a grant writes no row, as for a lock that was handed on within the process, the moment is marked in the database instead.
 *
 * <p>Used by the transaction's thread only.
 */
final class EarlySnapshot {
    private final OpenTransactions.Rules rules;
    private final List<Grant> grants = new ArrayList<>(0);

    /**
     * A lock that was granted while the transaction was open.
     *
     * @param check looks for the row of the lease
     * @param mark what the transaction has to see, or {@link SnapshotMarks#NONE} if that is the row of the lease
     */
    private record Grant(ThreadLock lock, Lease lease, CommitCheck check, long mark) {}

    EarlySnapshot(OpenTransactions.Rules rules) {
        this.rules = rules;
    }

    /**
     * Notes a grant. Holders of permits do not exclude each other, so nothing is noted of them.
     *
     * @param isNow whether it was granted just now, so that the moment can be marked
     * @throws io.rowlock.LockStoreException if it could not be marked
     */
    void granted(ThreadLock lock, boolean isNow) {
        CommitCheck check = rules.checks().get(lock.id().strategy());
        if (check == null
                || lock.id().permit()
                || rules.staleReads().policy(lock.request.staticName()) == StaleReads.Policy.ALLOW) {
            return;
        }
        Lease lease = lock.lease().lease();
        SnapshotMarks marks = rules.marks();
        if (check.traits().contains(Trait.WRITES_GRANTS) && isRowOf(lock, lease)) {
            grants.add(new Grant(lock, lease, check, SnapshotMarks.NONE));
        } else if (marks != null && isNow) {
            long mark;
            try (LeaseEnding.Uninterrupted now = new LeaseEnding.Uninterrupted()) {
                mark = marks.mark();
            }
            if (mark != SnapshotMarks.NONE) {
                grants.add(new Grant(lock, lease, check, mark));
            }
        }
    }

    /** Returns true if no former holder can have committed since the lease's row was written. */
    private static boolean isRowOf(ThreadLock lock, Lease lease) {
        return lease.mode() == lock.request.mode()
                && (lease.mode() == LockMode.SHARED || lock.token() == lease.fence());
    }

    /**
     * Checks the transaction right before its commit.
     *
     * @throws io.rowlock.StaleReadException if it began to read before a grant
     * @throws io.rowlock.LockStoreException if the database could not be asked
     */
    void check() {
        for (Grant grant : grants) {
            boolean seen = grant.mark() == SnapshotMarks.NONE
                    ? grant.check().isSeen(grant.lease())
                    : Objects.requireNonNull(rules.marks()).sees(grant.mark());
            if (!seen) {
                rules.staleReads()
                        .snapshot(
                                grant.lock().request.staticName(),
                                grant.lock().id().key());
            }
        }
    }
}
