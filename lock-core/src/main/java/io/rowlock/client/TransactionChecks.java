package io.rowlock.client;

import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.client.lock.HeldLease;
import io.rowlock.client.lock.HeldLease.OpenFence;
import io.rowlock.client.lock.ThreadLock;
import io.rowlock.client.lock.ThreadLocks;
import io.rowlock.store.Fence;
import io.rowlock.store.Lease;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
    private final Map<String, Fence> fences;
    private final Runnable whenCompleted;
    private final List<Protected> fenced = new ArrayList<>(1);

    /** Leases that passed as soon as the transaction relied on them, and as what: it asks again as the same before it commits. */
    private final IdentityHashMap<HeldLease, Lease> passed = new IdentityHashMap<>();

    private Collection<ThreadLock> guards = List.of();
    private @Nullable RuntimeException refusal;
    private boolean unsure;
    private boolean completed;

    /** When leases are checked. */
    private enum Moment {
        BEGIN,
        GRANT,
        COMMIT
    }

    /** @param fences the fences of the strategies whose tables the transaction reaches */
    TransactionChecks(ThreadLocks threadLocks, Map<String, Fence> fences, Runnable whenCompleted) {
        this.threadLocks = threadLocks;
        this.fences = fences;
        this.whenCompleted = whenCompleted;
    }

    // ---- the moments

    /**
     * The transaction has begun: those fences check what its thread holds, and relies on, that want to be the first. Throws
     * nothing: Spring would leave the transaction's connection bound to the thread. The transaction is refused its commit.
     */
    void begin() {
        try {
            check(checkedAtBegin(threadLocks.ofCaller()), checkedAtBegin(threadLocks.reliedOnByCaller()), Moment.BEGIN);
        } catch (RuntimeException e) {
            refuseCommit(e);
            discard(e);
        }
    }

    private void discard(RuntimeException because) {
        for (Fence fence : fences.values()) {
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
     * The calling thread's transaction, if one is open, relies on locks from now on.
     *
     * @throws LockLostException if one of them was overtaken
     * @throws LockStoreException if that could not be checked; then the transaction cannot commit, because the server may have rolled it back
     */
    static void relied(Collection<ThreadLock> locks) {
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
                if (each instanceof TransactionChecks checks) {
                    checks.grant(locks);
                }
            }
        }
    }

    private void grant(Collection<ThreadLock> locks) {
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
        guards = threadLocks.ofCaller();
        check(guards, threadLocks.reliedOnByCaller(), Moment.COMMIT);
    }

    // ---- the checks

    private void check(Collection<ThreadLock> own, Collection<ThreadLock> others, Moment moment) {
        others.forEach(ThreadLock::requireNotEnded);
        Map<String, Map<Lease, HeldLease>> held = new LinkedHashMap<>();
        own.forEach(lock -> add(lock, lock.lease().lease(), held));
        others.forEach(lock -> add(lock, reliedOn(lock), held));
        held.forEach((strategy, leases) -> check(fences.get(strategy), leases, moment));
    }

    private List<ThreadLock> checkedAtBegin(Collection<ThreadLock> locks) {
        return locks.stream().filter(this::isCheckedAtBegin).toList();
    }

    private boolean isCheckedAtBegin(ThreadLock lock) {
        Fence fence = fences.get(lock.id().strategy());
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
            refuse(firstLost(fence, due), due, moment);
        }
        if (moment != Moment.COMMIT) {
            due.forEach((lease, managed) -> passed.put(managed, lease));
        } else {
            unsure |= !fence.guaranteesCommit();
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

    private static Optional<Lease> firstLost(Fence fence, Map<Lease, HeldLease> leases) {
        try {
            return fence.firstLost(List.copyOf(leases.keySet()));
        } catch (LockStoreException e) {
            if (!fence.guaranteesCommit()) {
                refuseIfGone(leases.values(), e);
            }
            throw e;
        }
    }

    // ---- the end

    /** Whether the commit may fail because a lock is lost. */
    boolean isUnsure() {
        return unsure;
    }

    /** The leases that were checked on the transaction's own connection. */
    List<HeldLease> leases() {
        return fenced.stream().map(Protected::lease).toList();
    }

    /** The server rolled the transaction back: a lock may have been taken over on another server. */
    static void refuseIfGone(Collection<HeldLease> leases, @Nullable Throwable failure) {
        for (HeldLease lease : leases) {
            if (lease.isFoundGone()) {
                LockLostException refusal =
                        lease.refusal("it was taken over elsewhere, so the server refused the commit");
                if (failure != null) {
                    refusal.addSuppressed(failure);
                }
                throw refusal;
            }
        }
    }

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
            guards.forEach(ThreadLock::committed);
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
