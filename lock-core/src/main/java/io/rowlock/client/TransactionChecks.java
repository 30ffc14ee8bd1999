package io.rowlock.client;

import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.client.lock.HeldLease;
import io.rowlock.client.lock.HeldLease.OpenFence;
import io.rowlock.client.lock.StaleReads;
import io.rowlock.client.lock.ThreadLock;
import io.rowlock.client.lock.ThreadLocks;
import io.rowlock.store.Fence;
import io.rowlock.store.Lease;
import io.rowlock.store.SnapshotMarks;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * What one transaction has checked of the leases it relies on, and why it must not commit if it must not. Used by its thread
 * only.
 *
 * <p>Spring calls neither {@code afterCommit} nor {@code afterRollback} of a listener if another listener fails before the
 * commit with a {@code TransactionException}; synchronizations are called in every case. This one is the first of them: what
 * others do after the commit is not protected by its row locks.
 */
final class TransactionChecks implements TransactionSynchronization {
    private final ThreadLocks threadLocks;
    private final Guards guards;
    private final Runnable whenCompleted;
    private final List<Protected> fenced = new ArrayList<>(0);

    /** Leases that passed as soon as the transaction relied on them, and as what: it asks again as the same before it commits. */
    private final Map<HeldLease, Lease> passed = new HashMap<>(0);

    /** Locks that its thread had when it began, and those that were acquired in it: what it reads under them is checked once. */
    private final Set<ThreadLock> known = new HashSet<>(0);

    private final EarlySnapshot snapshot;

    private Collection<ThreadLock> held = List.of();
    private @Nullable RuntimeException refusal;
    private boolean completed;

    /**
     * What a transaction is checked with.
     *
     * @param fences the checks of the strategies whose tables the transaction reaches, by strategy
     * @param marks marks grants that write no row, or null if the transaction does not reach the lock tables
     * @param staleReads what becomes of a transaction that began to read before a grant
     * @param unfit why no lock can be relied on in the transaction, or null if it can
     */
    record Guards(
            Map<String, Fence> fences,
            @Nullable SnapshotMarks marks,
            StaleReads staleReads,
            @Nullable String unfit) {
        /** Nothing: a transaction that only reads keeps its locks, and has nothing to lose at its commit. */
        Guards readOnly() {
            return new Guards(Map.of(), null, staleReads, null);
        }
    }

    /** When leases are checked. */
    private enum Moment {
        BEGIN,
        GRANT,
        COMMIT
    }

    TransactionChecks(ThreadLocks threadLocks, Guards guards, Runnable whenCompleted) {
        this.threadLocks = threadLocks;
        this.guards = guards;
        this.whenCompleted = whenCompleted;
        this.snapshot = new EarlySnapshot(guards);
    }

    // ---- the moments

    /**
     * The transaction has begun: it keeps what its thread holds, wherever that is closed, and those fences check it that want to
     * be the first. Throws nothing: Spring would leave the transaction's connection bound to the thread. The transaction is refused
     * its commit.
     */
    void begin() {
        Collection<ThreadLock> own = threadLocks.ofCaller();
        if (own.isEmpty() && threadLocks.reliedOnByCaller().isEmpty()) {
            return;
        }
        known.addAll(own);
        own.forEach(TransactionBoundLocks::keep);
        if (guards.unfit() != null) {
            refuseCommit(new IllegalStateException(guards.unfit()));
            return;
        }
        try {
            check(checkedAtBegin(threadLocks.ofCaller()), checkedAtBegin(threadLocks.reliedOnByCaller()), Moment.BEGIN);
        } catch (RuntimeException e) {
            refuseCommit(e);
            discard(e);
        }
    }

    private void discard(RuntimeException because) {
        for (Fence fence : guards.fences().values()) {
            try {
                if (fence.atBegin()) {
                    fence.discard();
                }
            } catch (RuntimeException e) {
                because.addSuppressed(e);
            }
        }
    }

    /**
     * The calling thread has acquired locks. Its transaction, if one is open, relies on them from now on, and what it reads must
     * not be older.
     *
     * @throws LockLostException if one of them was overtaken
     * @throws LockStoreException if that could not be checked
     */
    static void granted(Collection<ThreadLock> locks) {
        for (TransactionChecks checks : open()) {
            checks.relyOn(locks);
            checks.mark(locks);
        }
    }

    private void mark(Collection<ThreadLock> locks) {
        if (!completed) {
            locks.stream()
                    .filter(lock -> lock.threadLocks() == threadLocks && known.add(lock))
                    .forEach(snapshot::granted);
        }
    }

    private static List<TransactionChecks> open() {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            return List.of();
        }
        List<TransactionChecks> open = new ArrayList<>(1);
        for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
            if (each instanceof TransactionChecks checks) {
                open.add(checks);
            }
        }
        return open;
    }

    /**
     * Refuses to acquire a lock where a transaction would commit though the lock is lost, or after it was released.
     *
     * @param guardedOnly whether transactions are refused that no {@link TransactionFence} checks
     * @throws IllegalStateException if one is open on the calling thread
     */
    static void requireGuarded(ThreadLocks threadLocks, boolean guardedOnly) {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            if (threadLocks.isInTransactionWithoutSynchronization()) {
                throw new IllegalStateException(
                        "A lock cannot be acquired in a transaction of a manager that has SYNCHRONIZATION_NEVER: it could not be kept"
                                + " until the transaction has completed. Acquire it before the transaction, or let the manager"
                                + " synchronize");
            }
            return;
        }
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            return;
        }
        List<TransactionChecks> guarding = open();
        for (TransactionChecks checks : guarding) {
            String unfit = checks.guards.unfit();
            if (checks.threadLocks == threadLocks && unfit != null) {
                throw new IllegalStateException(unfit);
            }
        }
        if (guardedOnly && guarding.isEmpty() && isJdbcConnectionBound()) {
            throw new IllegalStateException(
                    "A lock cannot be acquired in this transaction: its manager is no bean that Rowlock guards, so it would commit though"
                            + " the lock is lost. Acquire the lock before the transaction begins, declare the manager as a bean,"
                            + " or name its bean in rowlock.fencing.unguarded-managers to go without that protection");
        }
    }

    private static boolean isJdbcConnectionBound() {
        return TransactionSynchronizationManager.getResourceMap().keySet().stream()
                .anyMatch(DataSource.class::isInstance);
    }

    /**
     * The calling thread's transaction, if one is open, relies on locks from now on.
     *
     * @throws LockLostException if one of them was overtaken
     * @throws LockStoreException if that could not be checked; then the transaction cannot commit, because the server may have rolled it back
     */
    static void relied(Collection<ThreadLock> locks) {
        open().forEach(checks -> checks.relyOn(locks));
    }

    private void relyOn(Collection<ThreadLock> locks) {
        if (completed) {
            return;
        }
        List<ThreadLock> ours = checkedAtBegin(
                locks.stream().filter(lock -> lock.threadLocks() == threadLocks).toList());
        List<ThreadLock> own = ours.stream().filter(ThreadLock::isOfCaller).toList();
        try {
            check(own, ours.stream().filter(lock -> !own.contains(lock)).toList(), Moment.GRANT);
        } catch (LockStoreException e) {
            refuseCommit(e);
            throw e;
        }
    }

    private void refuseCommit(RuntimeException because) {
        if (refusal == null) {
            refusal = because;
        }
    }

    /**
     * The transaction is about to commit.
     *
     * @throws LockLostException if it must not
     * @throws LockStoreException if that could not be checked
     */
    void commit() {
        if (refusal != null) {
            throw refusal;
        }
        held = threadLocks.ofCaller();
        Collection<ThreadLock> reliedOn = threadLocks.reliedOnByCaller();
        reliedOn.forEach(TransactionBoundLocks::keep);
        check(held, reliedOn, Moment.COMMIT);
        snapshot.check(); // after it: a lease that is lost has no row to be seen
    }

    // ---- the checks

    private void check(Collection<ThreadLock> own, Collection<ThreadLock> others, Moment moment) {
        others.forEach(ThreadLock::requireNotEnded);
        Map<String, Map<Lease, HeldLease>> leases = new LinkedHashMap<>();
        own.forEach(lock -> add(lock, lock.lease().lease(), leases));
        others.forEach(lock -> add(lock, reliedOn(lock), leases));
        leases.forEach((strategy, ofOne) -> check(guards.fences().get(strategy), ofOne, moment));
    }

    private List<ThreadLock> checkedAtBegin(Collection<ThreadLock> locks) {
        return locks.stream().filter(this::isCheckedAtBegin).toList();
    }

    private boolean isCheckedAtBegin(ThreadLock lock) {
        Fence fence = guards.fences().get(lock.id().strategy());
        return fence != null && fence.atBegin();
    }

    private static void add(ThreadLock lock, Lease as, Map<String, Map<Lease, HeldLease>> held) {
        HeldLease lease = lock.lease();
        Map<Lease, HeldLease> all = held.computeIfAbsent(lease.store().strategy(), first -> new LinkedHashMap<>());
        if (!all.containsValue(lease)) {
            all.put(as, lease);
        }
    }

    /** Several threads may rely on an exclusive lock of another thread at once, so their transactions share it. */
    private Lease reliedOn(ThreadLock lock) {
        Lease lease = lock.lease().lease();
        boolean shared = isCheckedAtBegin(lock) && lease.mode() == LockMode.EXCLUSIVE;
        return shared ? lease.as(LockMode.SHARED) : lease;
    }

    private void check(@Nullable Fence fence, Map<Lease, HeldLease> leases, Moment moment) {
        requireHeld(leases.values(), moment);
        if (fence == null) {
            return;
        }
        Map<Lease, HeldLease> due = new LinkedHashMap<>();
        leases.forEach((lease, managed) -> {
            Lease before = passed.get(managed);
            if (before == null) {
                due.put(lease, managed);
            } else if (moment == Moment.COMMIT) {
                due.put(before, managed); // the body may have lost the row locks of then, as a deadlock's victim
            }
        });
        List.copyOf(due.entrySet()).stream()
                .filter(lease -> isCheckedOutside(lease.getKey(), lease.getValue(), due, moment))
                .forEach(lease -> due.remove(lease.getKey()));
        if (!due.isEmpty()) {
            protect(due.values(), fence);
            refuse(fence.firstLost(List.copyOf(due.keySet())), due, moment);
        }
        if (moment != Moment.COMMIT) {
            due.forEach((lease, managed) -> passed.put(managed, lease));
        }
        // A renewal that was on its way may have run late beside a reader, and the fence would take it for good.
        requireHeld(leases.values(), moment);
    }

    private static void requireHeld(Collection<HeldLease> leases, Moment moment) {
        leases.forEach(moment == Moment.GRANT ? HeldLease::requireHeld : HeldLease::requireHeldForCommit);
    }

    /**
     * Returns true if a transaction around this one has checked the lease. Its row locks last longer than this transaction, which
     * would wait for them, so it is asked again, right before the commit.
     */
    private static boolean isCheckedOutside(
            Lease lease, HeldLease managed, Map<Lease, HeldLease> leases, Moment moment) {
        Optional<Fence.Pinned> outer = managed.fenceOfCaller();
        if (outer.isPresent() && moment == Moment.COMMIT) {
            refuse(outer.get().firstLost(List.of(lease)), leases, moment);
        }
        return outer.isPresent();
    }

    private void protect(Collection<HeldLease> leases, Fence fence) {
        OpenFence opened = new OpenFence(Thread.currentThread(), fence.pinned(), fence.protectsLease());
        for (HeldLease lease : leases) {
            lease.fenceOpened(opened);
            fenced.add(new Protected(lease, opened));
        }
    }

    private static void refuse(Optional<Lease> firstLost, Map<Lease, HeldLease> leases, Moment moment) {
        firstLost.map(leases::get).ifPresent(lost -> {
            lost.gone();
            throw moment == Moment.GRANT
                    ? lost.lostException(lost.token(), "a transaction under a later lock has begun before it was used")
                    : lost.refusal("it ran out, was taken over or was released, so the commit is refused");
        });
    }

    // ---- the end

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    /** What was written since the savepoint is undone, perhaps by a check. */
    @Override
    public void savepointRollback(Object savepoint) {
        passed.clear();
    }

    @Override
    public void afterCommit() {
        completed(true);
    }

    @Override
    public void afterCompletion(int status) {
        completed(status == STATUS_COMMITTED);
    }

    /** The transaction is over. Only the first call counts. */
    void completed(boolean committed) {
        if (completed) {
            return;
        }
        completed = true;
        whenCompleted.run();
        if (committed) {
            held.forEach(ThreadLock::committed);
        }
        fenced.forEach(Protected::over);
    }

    /** A lease that row locks of the transaction may protect. */
    private record Protected(HeldLease lease, OpenFence fence) {
        void over() {
            lease.fenceClosed(fence);
        }
    }
}
