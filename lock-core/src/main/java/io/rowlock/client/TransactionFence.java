package io.rowlock.client;

import io.rowlock.LockRequest;
import io.rowlock.StaleReadException;
import io.rowlock.client.lock.OpenTransactions;
import io.rowlock.client.lock.ProcessLocks;
import io.rowlock.store.CommitCheck;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Refuses the commit of a transaction if a lock its thread holds, or relies on, is lost. Added to a transaction manager
 * ({@link org.springframework.transaction.ConfigurableTransactionManager#addListener}), it checks every transaction of that manager that can
 * write right before it commits: on the transaction's own connection where a {@link CommitCheck} for the lock's strategy is given, and by
 * the process's clock in any case. From the check to the end of the transaction the checked leases are not renewed if the transaction's row locks protect them ({@link CommitCheck.Trait#PROTECTS_LEASE}), because a renewal
 * would have to wait for it.
 *
 * <p>Where the locks are kept outside of the database, a check before the commit would come too late: what the transaction has
 * read may be older than the commit of a former holder that has not noticed yet that it was overtaken. Such a check
 * ({@link CommitCheck.Trait#AT_BEGIN}) is asked when the transaction begins, and when a lock is acquired in it.
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
    private final AtomicReference<@Nullable Guard> guard;
    private final Supplier<@Nullable TransactionFence> later;

    /** Whose locks it guards, and by what. */
    private record Guard(ProcessLocks process, OpenTransactions.Rules rules) {}

    /**
     * @param client whose locks it guards
     * @param rules how the transactions of the manager are checked
     */
    public TransactionFence(RowlockClient client, OpenTransactions.Rules rules) {
        this(new Guard(client.locks(), rules), () -> null);
    }

    private TransactionFence(@Nullable Guard guard, Supplier<@Nullable TransactionFence> later) {
        this.guard = new AtomicReference<>(guard);
        this.later = later;
    }

    /**
     * Makes a fence for a client that is not made yet. Until it is, no lock is held, and there is nothing to guard.
     *
     * @param fence makes a fence of the client, or returns null as long as there is none
     */
    public static TransactionFence later(Supplier<@Nullable TransactionFence> fence) {
        return new TransactionFence(null, fence);
    }

    /** Calls this from now on before a thread acquires a lock of a client that is no part of a transaction: what it throws refuses the lock. */
    public static void requireAdmission(RowlockClient client, Consumer<LockRequest> check) {
        client.locks().requireAdmission(check);
    }

    /** Returns its guard, always the same, or null as long as there is no client. */
    private @Nullable Guard guard() {
        TransactionFence made = guard.get() == null ? later.get() : null;
        if (made != null) {
            guard.compareAndSet(null, made.guard());
        }
        return guard.get();
    }

    /**
     * @param client any client
     * @return true if it guards the client's locks
     */
    public boolean isOf(RowlockClient client) {
        Guard present = guard();
        return present != null && present.process == client.locks();
    }

    /** Makes the guard: if that failed after the begin, Spring would leave the connection bound to the thread. */
    @Override
    public void beforeBegin(TransactionExecution transaction) {
        Guard unused = guard();
    }

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
        Guard present = guard.get();
        if (present != null && beginFailure == null && !transaction.isNested()) {
            present.process.transactions().begun(transaction, present.rules);
        }
    }

    /** The transaction may have begun before this was added to its manager, or before there was a client. */
    @Override
    public void beforeCommit(TransactionExecution transaction) {
        Guard present = guard();
        if (present != null && !transaction.isNested()) {
            present.process.transactions().commit(transaction, present.rules);
        }
    }

    /** JPA flushes during the commit, and wraps what a check of that flush has thrown. */
    @Override
    public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
        completed(transaction, commitFailure == null);
        if (NestedExceptionUtils.getRootCause(commitFailure) instanceof StaleReadException refusal) {
            throw refusal;
        }
    }

    @Override
    public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
        completed(transaction, false);
    }

    /** The end of a savepoint is none of its transaction. */
    private void completed(TransactionExecution transaction, boolean committed) {
        Guard present = guard.get();
        if (present != null && !transaction.isNested()) {
            present.process.transactions().completed(transaction, present.rules, committed);
        }
    }
}
