package io.rowlock.client;

import io.rowlock.LockLostException;
import io.rowlock.LockStoreException;
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
 * <p>Thread-safe.
 */
public final class TransactionFence implements TransactionExecutionListener {
    private final ThreadHolds holds;
    private final Map<String, Fence> fences;
    private final Map<TransactionExecution, Open> open = new ConcurrentHashMap<>();

    /** Those whose commit may fail because a lock is lost. Spring does not always say how a transaction ended. */
    private final Map<TransactionExecution, Open> unsure = Collections.synchronizedMap(new WeakHashMap<>());

    /**
     * @param client whose locks it guards
     * @param fences the fences of the strategies whose tables the transaction manager's connections reach, by strategy
     */
    public TransactionFence(RowlockClient client, Map<String, Fence> fences) {
        this.holds = client.holds();
        this.fences = Map.copyOf(fences);
    }

    @Override
    public void beforeCommit(TransactionExecution transaction) {
        if (transaction.isReadOnly() || transaction.isNested()) {
            return;
        }
        Collection<Hold> own = holds.ofCaller();
        Collection<Hold> others = holds.reliedOnByCaller();
        if (own.isEmpty() && others.isEmpty()) {
            return;
        }
        others.forEach(Hold::requireNotEnded);
        Open checked = new Open(own, new ArrayList<>());
        opened(transaction, checked);
        Map<String, Map<Lease, ManagedLease>> held = new LinkedHashMap<>();
        Stream.concat(own.stream(), others.stream())
                .map(Hold::lease)
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
        for (ManagedLease lease : leases.values()) {
            lease.fenceOpened();
            checked.fenced().add(lease);
        }
        firstLost(fence, leases).ifPresent(lost -> {
            lost.gone();
            throw lost.refusal("it ran out, was taken over or was released, so the commit is refused");
        });
        // A renewal that was on its way may have run late beside a reader, and the fence would take it for good.
        leases.values().forEach(ManagedLease::requireHeldForCommit);
    }

    private static Optional<ManagedLease> firstLost(Fence fence, Map<Lease, ManagedLease> leases) {
        try {
            return fence.firstLost(List.copyOf(leases.keySet())).map(leases::get);
        } catch (LockStoreException e) {
            if (!fence.guaranteesCommit()) {
                refuseIfGone(leases.values(), e);
            }
            throw e;
        }
    }

    /** The server rolled the transaction back. Did somebody take a lock away from it? */
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
     * with a {@code TransactionException}; synchronizations are called in every case.
     */
    private void opened(TransactionExecution transaction, Open checked) {
        open.put(transaction, checked);
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
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
            refuseIfGone(checked.fenced(), commitFailure);
        }
    }

    @Override
    public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
        completed(transaction, false);
        Open checked = unsure.remove(transaction);
        if (checked != null) {
            refuseIfGone(checked.fenced(), null);
        }
    }

    private void completed(TransactionExecution transaction, boolean committed) {
        Open checked = open.remove(transaction);
        if (checked == null) {
            return;
        }
        if (committed) {
            checked.guards().forEach(Hold::committed);
        }
        checked.fenced().forEach(ManagedLease::fenceClosed);
    }

    /** The locks of a thread whose transaction is about to commit, and which leases its row locks protect. */
    private record Open(Collection<Hold> guards, List<ManagedLease> fenced) {}
}
