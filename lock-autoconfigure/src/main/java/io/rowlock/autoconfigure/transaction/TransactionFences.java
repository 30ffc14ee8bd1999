package io.rowlock.autoconfigure.transaction;

import io.rowlock.client.RowlockClient;
import io.rowlock.client.TransactionFence;
import io.rowlock.store.CommitFencing;
import io.rowlock.store.Fence;
import io.rowlock.store.SnapshotMarks;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Has every transaction manager ask before a commit whether the locks of the transaction are still held: the database
 * itself, where the transaction is on the database that keeps the locks; otherwise only this process.
 */
public final class TransactionFences implements SmartInitializingSingleton {
    private static final Logger log = LoggerFactory.getLogger(TransactionFences.class);

    private final ListableBeanFactory beans;
    private final RowlockClient client;
    private final List<CommitFencing> fencings;
    private final Function<DataSource, @Nullable SnapshotMarks> marks;

    /**
     * @param beans where the transaction managers are
     * @param client whose locks they ask for
     * @param fencings make the checks, each for one strategy
     * @param marks makes what marks grants that write no row, for transactions on a DataSource; null if it does not lead to the lock tables
     */
    public TransactionFences(
            ListableBeanFactory beans,
            RowlockClient client,
            List<CommitFencing> fencings,
            Function<DataSource, @Nullable SnapshotMarks> marks) {
        this.beans = beans;
        this.client = client;
        this.fencings = fencings;
        this.marks = marks;
    }

    @Override
    public void afterSingletonsInstantiated() {
        beans.getBeansOfType(ConfigurableTransactionManager.class, false, true).forEach(this::guard);
    }

    /**
     * First of all listeners: if another one fails before the commit with a TransactionException, Spring does not roll
     * back, and what puts the connection back in order may commit; by then the locks have been checked.
     */
    private void guard(String name, ConfigurableTransactionManager manager) {
        List<TransactionExecutionListener> listeners = new ArrayList<>();
        DataSource transactional = TransactionalDataSource.of(manager);
        listeners.add(new TransactionFence(
                client, fencesFor(name, transactional), transactional == null ? null : marks.apply(transactional)));
        listeners.addAll(manager.getTransactionExecutionListeners());
        manager.setTransactionExecutionListeners(listeners);
    }

    private Map<String, Fence> fencesFor(String name, @Nullable DataSource transactional) {
        Map<String, Fence> fences = new LinkedHashMap<>();
        fencings.forEach(fencing ->
                fencing.fenceOn(transactional).ifPresent(fence -> fences.putIfAbsent(fencing.strategy(), fence)));
        if (fences.isEmpty()) {
            log.info(
                    "Commits of {} are refused only for locks this process knows to be lost, without asking the database: "
                            + "{}",
                    name,
                    transactional == null ? "it has no DataSource" : "its DataSource does not lead to the lock tables");
        }
        return fences;
    }
}
