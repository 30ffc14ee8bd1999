package io.rowlock.client;

import io.rowlock.LockLostException;
import io.rowlock.LockStoreException;
import io.rowlock.client.lease.ManagedLease;
import io.rowlock.client.lease.OpenFence;
import io.rowlock.store.Fence;
import io.rowlock.store.Lease;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Refuses the commit of a transaction if a lock its thread holds, or relies on, is lost. Added to a transaction manager
 * ({@link org.springframework.transaction.ConfigurableTransactionManager#addListener}), it checks every writing
 * transaction of that manager right before it commits: on the transaction's own connection where a {@link Fence} for the
 * lock's strategy is given, and by the process's clock in any case. From the check to the end of the transaction the
 * checked leases are not renewed: the transaction's row locks protect them, and a renewal would have to wait for it.
 *
 * <p>A second transaction of the same thread may commit while the first one is between its check and its end, as with
 * {@code REQUIRES_NEW} in a listener of JPA's flush. On its own connection its check would wait for the first one's row
 * locks, and the first one for it. So a lease the first one has checked is checked on the first one's connection again. As
 * this thread ends the first transaction only after the second, the row locks found there last long enough. If the first
 * transaction is over in the database by then, as for a listener that is called after JPA has committed, either its
 * connection is in autocommit mode and the second one checks on its own, or the check locks the rows anew, until that
 * connection is given back, which is later as well. If the connection of the first one breaks before this check, the second
 * commit is refused; if it breaks between this check and the second commit, the first transaction cannot commit any more, and
 * the second one is protected by the time the lease has left, which a pause of the process may use up: that takes two
 * failures at once.
 *
 * <p>Thread-safe.
 */
public final class TransactionFence implements TransactionExecutionListener {
    private final ThreadLocks threadLocks;
    private final Map<String, Fence> fences;
    private final Map<TransactionExecution, Open> open = new ConcurrentHashMap<>();

    /** Those whose commit may fail because a lock is lost. Spring does not always say how a transaction ended. */
    private final Map<TransactionExecution, Open> unsure = Collections.synchronizedMap(new WeakHashMap<>());

    /**
     * @param client whose locks it guards
     * @param fences the fences of the strategies whose tables the transaction manager's connections reach, by strategy
     */
    public TransactionFence(RowlockClient client, Map<String, Fence> fences) {
        this.threadLocks = client.threadLocks();
        this.fences = Map.copyOf(fences);
    }

    /** What its thread holds now, the transaction relies on, though it may be dropped before the commit. */
    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
        if (beginFailure == null && !transaction.isReadOnly() && !transaction.isNested()) {
            TransactionBoundLocks.rely(threadLocks.ofCaller());
        }
    }

    @Override
    public void beforeCommit(TransactionExecution transaction) {
        if (transaction.isReadOnly() || transaction.isNested()) {
            return;
        }
        TransactionBoundLocks.requireNoneDropped();
        Collection<ThreadLock> own = threadLocks.ofCaller();
        Collection<ThreadLock> others = threadLocks.reliedOnByCaller();
        if (own.isEmpty() && others.isEmpty()) {
            return;
        }
        others.forEach(ThreadLock::requireNotEnded);
        Open checked = new Open(own, new ArrayList<>());
        opened(transaction, checked);
        Map<String, Map<Lease, ManagedLease>> held = new LinkedHashMap<>();
        Stream.concat(own.stream(), others.stream())
                .map(ThreadLock::lease)
                .forEach(lease -> held.computeIfAbsent(lease.store().strategy(), strategy -> new LinkedHashMap<>())
                        .put(lease.lease(), lease));
        held.forEach((strategy, leases) -> check(checked, fences.get(strategy), leases));
        if (held.keySet().stream().anyMatch(this::leavesUnsure)) {
            unsure.put(transaction, checked);
        }
    }

    private boolean leavesUnsure(String strategy) {
        Fence fence = fences.get(strategy);
        return fence != null && !fence.guaranteesCommit();
    }

    private static void check(Open checked, @Nullable Fence fence, Map<Lease, ManagedLease> leases) {
        leases.values().forEach(ManagedLease::requireHeldForCommit);
        if (fence == null) {
            return;
        }
        Map<Lease, ManagedLease> own = new LinkedHashMap<>(leases);
        for (ManagedLease lease : leases.values()) {
            Fence.Pinned outer = lease.fenceOfCaller();
            if (outer != null) {
                own.remove(lease.lease());
                refuse(outer.firstLost(List.of(lease.lease())), leases);
            }
        }
        if (!own.isEmpty()) {
            checked.protect(own.values(), fence.pinned());
            refuse(firstLost(fence, own), leases);
        }
        // A renewal that was on its way may have run late beside a reader, and the fence would take it for good.
        leases.values().forEach(ManagedLease::requireHeldForCommit);
    }

    private static void refuse(Optional<Lease> firstLost, Map<Lease, ManagedLease> leases) {
        firstLost.map(leases::get).ifPresent(lost -> {
            lost.gone();
            throw lost.refusal("it ran out, was taken over or was released, so the commit is refused");
        });
    }

    private static Optional<Lease> firstLost(Fence fence, Map<Lease, ManagedLease> leases) {
        try {
            return fence.firstLost(List.copyOf(leases.keySet()));
        } catch (LockStoreException e) {
            if (!fence.guaranteesCommit()) {
                refuseIfGone(leases.values(), e);
            }
            throw e;
        }
    }

    /** The server rolled the transaction back: a lock may have been taken over on another server. */
    private static void refuseIfGone(Collection<ManagedLease> leases, @Nullable Throwable failure) {
        for (ManagedLease lease : leases) {
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

    /**
     * Spring calls neither {@code afterCommit} nor {@code afterRollback} if another listener fails before the commit
     * with a {@code TransactionException}; synchronizations are called in every case. This one is the first of them: what
     * others do after the commit is not protected by its row locks.
     */
    private void opened(TransactionExecution transaction, Open checked) {
        open.put(transaction, checked);
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public int getOrder() {
                    return Ordered.HIGHEST_PRECEDENCE;
                }

                @Override
                public void afterCommit() {
                    completed(transaction, true);
                }

                @Override
                public void afterCompletion(int status) {
                    completed(transaction, status == STATUS_COMMITTED);
                }
            });
        }
    }

    @Override
    public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
        completed(transaction, commitFailure == null);
        Open checked = unsure.remove(transaction);
        if (checked != null && commitFailure != null) {
            refuseIfGone(checked.leases(), commitFailure);
        }
    }

    @Override
    public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
        completed(transaction, false);
        Open checked = unsure.remove(transaction);
        if (checked != null) {
            refuseIfGone(checked.leases(), null);
        }
    }

    private void completed(TransactionExecution transaction, boolean committed) {
        Open checked = open.remove(transaction);
        if (checked == null) {
            return;
        }
        if (committed) {
            checked.guards().forEach(ThreadLock::committed);
        }
        checked.fenced().forEach(Protected::over);
    }

    /** The locks of a thread whose transaction is about to commit, and which leases its row locks protect. */
    private record Open(Collection<ThreadLock> guards, List<Protected> fenced) {
        List<ManagedLease> leases() {
            return fenced.stream().map(Protected::lease).toList();
        }

        void protect(Collection<ManagedLease> leases, Fence.Pinned check) {
            for (ManagedLease lease : leases) {
                OpenFence opened = new OpenFence(check);
                lease.fenceOpened(opened);
                fenced.add(new Protected(lease, opened));
            }
        }
    }

    private record Protected(ManagedLease lease, OpenFence fence) {
        void over() {
            lease.fenceClosed(fence);
        }
    }
}
