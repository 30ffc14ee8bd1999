package io.rowlock.client.lock;

import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.store.CommitCheck;
import io.rowlock.store.SnapshotMarks;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The transactions that are open on the calling thread, as the locks of one client know them: each is an {@link OpenTransaction}, which Spring
 * keeps with it. Thread-safe.
 */
public final class OpenTransactions {
    /** Stands for nothing bound: for transactions without data that the next holder could read, as those of message brokers. */
    public static final Object NO_DATA = new Object();

    private final ProcessLocks process;
    private volatile Predicate<DataSource> guardedOnly = any -> false;

    /**
     * Says what a transaction may do with locks, and how they are checked.
     *
     * @param checks the checks of the strategies whose tables the transaction reaches, by strategy
     * @param marks marks grants that write no row, or null if the transaction does not reach the lock tables
     * @param staleReads what becomes of a transaction that began to read before a grant
     * @param unfit why no lock can be relied on in the transaction, or null if it can
     * @param rollBack undoes what was done in the current transaction, and tells false if it cannot
     * @param onlyReads asks whether the current transaction, which was declared read-only, can indeed write nothing
     * @param rowLocks returns what tells from then on, without asking the database, whether row locks of the current transaction can still last
     * @param begun called when a transaction has begun, returns what tells from then on whether the thread is in it
     * @param dataSource the one on whose connection the transaction is, or null if the manager does not tell
     */
    public record Rules(
            Map<String, CommitCheck> checks,
            @Nullable SnapshotMarks marks,
            StaleReads staleReads,
            @Nullable String unfit,
            BooleanSupplier rollBack,
            BooleanSupplier onlyReads,
            Supplier<BooleanSupplier> rowLocks,
            Supplier<BooleanSupplier> begun,
            @Nullable DataSource dataSource) {
        public Rules {
            checks = Map.copyOf(checks);
        }
    }

    /**
     * Tells transactions apart by what their manager binds to the thread for each.
     *
     * @param resource under what it does so, or null if it does not tell
     */
    public static Supplier<BooleanSupplier> boundUnder(@Nullable Object resource) {
        return () -> Standing.boundUnder(resource);
    }

    OpenTransactions(ProcessLocks process) {
        this.process = process;
    }

    /** From now on a lock is refused in a transaction on a connection of such a DataSource that no {@link io.rowlock.client.TransactionFence} checks. */
    public void requireGuarded(Predicate<DataSource> on) {
        guardedOnly = on;
    }

    // ---- what a fence tells of one of them

    /** Notes the transaction that has just begun on the calling thread. */
    public void begun(TransactionExecution transaction, Rules rules) {
        opened(transaction, rules).begin();
    }

    private OpenTransaction opened(TransactionExecution transaction, Rules rules) {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            present(OpenTransaction::isForgotten).forEach(forgotten -> forgotten.completed(false));
        }
        return new OpenTransaction(process, rules, transaction);
    }

    /**
     * Checks a transaction right before its commit; it may have begun unseen.
     *
     * @throws io.rowlock.LockLostException if it must not commit
     * @throws io.rowlock.LockStoreException if that could not be checked
     */
    public void commit(TransactionExecution transaction, Rules rules) {
        OpenTransaction begun = find(transaction, rules);
        (begun == null ? opened(transaction, rules) : begun).commit();
    }

    public void completed(TransactionExecution transaction, Rules rules, boolean committed) {
        OpenTransaction open = find(transaction, rules);
        if (open != null) {
            open.completed(committed);
        }
    }

    private static @Nullable OpenTransaction find(TransactionExecution transaction, Rules rules) {
        List<OpenTransaction> found = present(each -> each.isOf(transaction, rules));
        return found.isEmpty() ? null : found.get(0);
    }

    /** Returns the current transaction, or, without synchronization, all transactions of the thread that have none. */
    private static List<OpenTransaction> present(Predicate<OpenTransaction> wanted) {
        return among(
                TransactionSynchronizationManager.isSynchronizationActive()
                        ? TransactionSynchronizationManager.getSynchronizations()
                        : TransactionSynchronizationManager.getResourceMap().values(),
                each -> !each.suspended && wanted.test(each));
    }

    /**
     * Returns the transactions around the current one, or around one without synchronization, that the thread may still work in:
     * a manager suspends the connection of its own transactions only, and of others no more than their synchronizations.
     */
    private List<OpenTransaction> around() {
        return among(
                TransactionSynchronizationManager.getResourceMap().values(),
                each -> each.process == process && each.isSuspendedButOpen());
    }

    static List<OpenTransaction> among(Collection<?> any, Predicate<OpenTransaction> wanted) {
        List<OpenTransaction> found = List.of();
        for (Object each : any) {
            if (each instanceof OpenTransaction transaction && wanted.test(transaction)) {
                found = found.isEmpty() ? new ArrayList<>(1) : found;
                found.add(transaction);
            }
        }
        return found;
    }

    // ---- what locks have to do with them

    /** Returns the current transaction, if it has synchronization, noted by now if it was not; and those around it. */
    private List<OpenTransaction> current() {
        List<OpenTransaction> around = around();
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            return around;
        }
        List<OpenTransaction> current = present(each -> each.process == process);
        if (current.isEmpty() && TransactionSynchronizationManager.isActualTransactionActive()) {
            current = List.of(new OpenTransaction(process, null, null));
        }
        return around.isEmpty()
                ? current
                : Stream.concat(current.stream(), around.stream()).toList();
    }

    /**
     * Refuses to acquire a lock where a transaction would commit though the lock is lost, or after it was released.
     *
     * @param wanted what is to be locked
     * @return the current transaction and those around it, to be called when the lock is {@link OpenTransaction#granted}
     * @throws IllegalStateException if one is open that is refused
     */
    List<OpenTransaction> admitting(List<ResolvedRequest> wanted) {
        boolean synchronizes = TransactionSynchronizationManager.isSynchronizationActive();
        List<OpenTransaction> alone = synchronizes ? List.of() : present(each -> each.process == process);
        for (OpenTransaction transaction : alone) {
            if (!transaction.isForgotten() && (transaction.standing.isBound() || isConnectionBound(any -> true))) {
                throw new IllegalStateException(
                        "A lock cannot be acquired in a transaction of a manager that has SYNCHRONIZATION_NEVER: it could not be kept"
                                + " until the transaction has completed. Acquire it before the transaction, or let the manager"
                                + " synchronize");
            }
        }
        List<OpenTransaction> current = current();
        boolean isOver = synchronizes
                ? !among(current, OpenTransaction::isCompleted).isEmpty()
                : TransactionSynchronizationManager.isActualTransactionActive();
        // The work of listeners on its connection is committed after a lock of theirs is released
        if (isOver
                && !wanted.stream().allMatch(process.threadLocks::isEnteredByCaller)
                && isConnectionBound(guardedOnly)) {
            throw new IllegalStateException(
                    "A lock cannot be acquired after the commit of a transaction, as in a @TransactionalEventListener, while the thread"
                            + " has its connection: what is written there is committed after the lock is released. Give the method"
                            + " with the lock a transaction of its own (REQUIRES_NEW) or none (NOT_SUPPORTED) of that manager, or make it @Async");
        }
        alone.forEach(OpenTransaction::requireFit);
        requireGuarded(
                current,
                synchronizes
                        && !current.isEmpty()
                        && present(OpenTransaction::isOfFence).isEmpty());
        return current;
    }

    /** @param isUnguarded whether the current one has no fence */
    private void requireGuarded(List<OpenTransaction> open, boolean isUnguarded) {
        open.forEach(OpenTransaction::requireFit);
        List<DataSource> unguarded = new ArrayList<>(isUnguarded ? Standing.unguarded(null) : List.of());
        present(OpenTransaction::isOfFence).forEach(each -> unguarded.addAll(each.standing.unguarded()));
        if (!unguarded.isEmpty() && unguarded.stream().anyMatch(guardedOnly)) {
            throw new IllegalStateException(
                    "A lock cannot be acquired in this transaction: its manager is no bean that Rowlock guards, so it would commit though"
                            + " the lock is lost. Acquire the lock before the transaction begins, declare the manager as a bean,"
                            + " or name its bean in rowlock.fencing.unguarded-managers to go without that protection");
        }
    }

    private static boolean isConnectionBound(Predicate<DataSource> on) {
        return TransactionSynchronizationManager.getResourceMap().keySet().stream()
                .anyMatch(key -> key instanceof DataSource bound && on.test(bound));
    }

    /**
     * Returns the transactions that stay open for a body whose own transaction, or none, takes the place of one.
     *
     * @param left what that one has bound, or null if no other is open
     * @throws IllegalStateException if one stays open that is refused
     */
    List<OpenTransaction> besides(@Nullable Object left) {
        if (left == null) {
            return List.of();
        }
        List<OpenTransaction> open = Stream.concat(present(each -> each.process == process).stream(), around().stream())
                .filter(each -> each.isOfFence() && !each.isCompleted() && !each.standing.isOf(left))
                .toList();
        requireGuarded(open, false);
        return open;
    }

    /** If one is open, it keeps {@code lock} until it has completed. */
    void keep(ThreadLock lock) {
        current().forEach(each -> each.keepUntilCompleted(lock));
    }

    /**
     * Makes the current transaction, if one is open, rely on locks from now on.
     *
     * @throws IllegalStateException if one is open in which no lock could be acquired either
     * @throws io.rowlock.LockLostException if one of them was overtaken
     * @throws io.rowlock.LockStoreException if that could not be checked; then the transaction cannot commit, because the server may have
     *     rolled it back
     */
    void relied(List<ThreadLock> locks) {
        List<ResolvedRequest> wanted = locks.stream().map(lock -> lock.request).toList();
        admitting(wanted).forEach(each -> each.relyOn(locks, false));
    }
}
