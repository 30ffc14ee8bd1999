package io.rowlock.client;

import io.rowlock.store.Fence;
import io.rowlock.store.Lease;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Refuses the commit of a transaction if a lock its thread holds is lost. Added to a transaction manager
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
    private final Map<TransactionExecution, List<ManagedLease>> open = new ConcurrentHashMap<>();

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
        Map<String, Map<Lease, ManagedLease>> held = new LinkedHashMap<>();
        for (ManagedLease lease :
                new LinkedHashSet<>(holds.ofCaller().stream().map(Hold::lease).toList())) {
            held.computeIfAbsent(lease.store().strategy(), strategy -> new LinkedHashMap<>())
                    .put(lease.lease(), lease);
        }
        held.forEach((strategy, leases) -> check(transaction, fences.get(strategy), leases));
    }

    private void check(TransactionExecution transaction, @Nullable Fence fence, Map<Lease, ManagedLease> leases) {
        leases.values().forEach(ManagedLease::requireHeld);
        if (fence == null) {
            return;
        }
        List<ManagedLease> checked = open.computeIfAbsent(transaction, this::opened);
        for (ManagedLease lease : leases.values()) {
            lease.fenceOpened();
            checked.add(lease);
        }
        fence.firstLost(List.copyOf(leases.keySet())).map(leases::get).ifPresent(lost -> {
            lost.gone();
            throw lost.lostException("it ran out, was taken over or was released, so the commit is refused");
        });
    }

    /**
     * Spring calls neither {@code afterCommit} nor {@code afterRollback} if another listener fails before the commit
     * with a {@code TransactionException}; synchronizations are called in every case.
     */
    private List<ManagedLease> opened(TransactionExecution transaction) {
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int status) {
                    completed(transaction);
                }
            });
        }
        return new ArrayList<>();
    }

    @Override
    public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
        completed(transaction);
    }

    @Override
    public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
        completed(transaction);
    }

    private void completed(TransactionExecution transaction) {
        List<ManagedLease> leases = open.remove(transaction);
        if (leases != null) {
            leases.forEach(ManagedLease::fenceClosed);
        }
    }
}
