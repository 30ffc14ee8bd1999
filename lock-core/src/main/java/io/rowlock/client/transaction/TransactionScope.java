package io.rowlock.client.transaction;

import io.rowlock.LockMode;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.client.lock.StaleReads;
import io.rowlock.store.TransactionLocks;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The keys that one open transaction has locked. Used by the transaction's thread, except for {@link #isOpen} and
 * {@link #has}.
 */
final class TransactionScope implements TransactionSynchronization {
    final TransactionLockAcquirer owner;
    private final Thread thread = Thread.currentThread();
    private final TransactionLocks.Transaction transaction;

    /** The locks that it has, by key. */
    private final Map<String, StaleReads.Held> rows = new ConcurrentHashMap<>();

    private final IdentityHashMap<Object, Set<String>> savepoints = new IdentityHashMap<>();
    private final List<Consumer<Boolean>> endActions = new ArrayList<>();
    private @Nullable LockNotAcquiredException rolledBack;
    private @Nullable Boolean readsCommitted;
    private boolean completing;
    private volatile boolean open = true;

    private TransactionScope(TransactionLockAcquirer owner, TransactionLocks.Transaction transaction) {
        this.owner = owner;
        this.transaction = transaction;
    }

    /** The scope of the transaction that is open on the calling thread. */
    static TransactionScope current(TransactionLockAcquirer owner) {
        TransactionScope present = present(owner).orElse(null);
        if (present != null) {
            return present;
        }
        TransactionScope scope = new TransactionScope(owner, owner.locks.current());
        TransactionSynchronizationManager.registerSynchronization(scope);
        TransactionSynchronizationManager.bindResource(owner, scope);
        owner.open.add(scope);
        return scope;
    }

    static Optional<TransactionScope> present(Object owner) {
        return Optional.ofNullable((TransactionScope) TransactionSynchronizationManager.getResource(owner));
    }

    /** Returns true if it is of the calling thread, another transaction of which could not lock a key in a mode. */
    boolean keepsFromCaller(String key, LockMode wanted) {
        LockMode mode = mode(key);
        return thread == Thread.currentThread()
                && (mode == LockMode.EXCLUSIVE || (mode == LockMode.SHARED && wanted == LockMode.EXCLUSIVE));
    }

    /** The mode in which the transaction has a key, or null. */
    @Nullable
    LockMode mode(String key) {
        StaleReads.Held row = rows.get(key);
        return row == null ? null : row.exclusive() ? LockMode.EXCLUSIVE : LockMode.SHARED;
    }

    /** The transaction has locked a key, of a lock with this name. */
    void add(String key, LockMode mode, String name) {
        rows.put(key, new StaleReads.Held(new Object(), key, name, mode == LockMode.EXCLUSIVE, false));
    }

    List<StaleReads.Held> held() {
        return List.copyOf(rows.values());
    }

    /** @param action to be called when the transaction has completed; with true if it is known to have committed */
    void onEnd(Consumer<Boolean> action) {
        endActions.add(action);
    }

    /** The server has rolled the transaction back: what was done in it is undone, and what follows must not be committed alone. */
    void rolledBack(LockNotAcquiredException why) {
        rolledBack = why;
        rows.clear();
    }

    /** Returns true if each of its statements reads what is committed by then: asked once. */
    boolean readsCommitted(BooleanSupplier question) {
        if (readsCommitted == null) {
            readsCommitted = question.getAsBoolean();
        }
        return readsCommitted;
    }

    /** Returns true if it has not completed. */
    boolean isOpen() {
        return open;
    }

    /** Returns true if it has all of these keys locked, as far as is known without asking the server. */
    boolean has(Collection<String> keys) {
        return open && rows.keySet().containsAll(keys) && transaction.isOpen();
    }

    /** Asks the server whether it has all of these keys locked. */
    boolean holds(Collection<String> keys) {
        for (String key : keys) {
            LockMode mode = mode(key);
            if (mode == null || !transaction.holds(key, mode)) {
                return false;
            }
        }
        return true;
    }

    /** Returns true if it can still lock something. */
    boolean admitsLocks() {
        return !completing;
    }

    /** Ends the locks before the first callback that follows the commit: the server has ended them. */
    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public void savepoint(Object savepoint) {
        savepoints.put(savepoint, Set.copyOf(rows.keySet()));
    }

    /**
     * InnoDB keeps a row lock that is younger than the savepoint, unless the savepoint is older than all that the transaction did
     * there: then it ends its part of the transaction. Which of both is not known here, so such a lock does not count any more.
     */
    @Override
    public void savepointRollback(Object savepoint) {
        rows.keySet().retainAll(savepoints.getOrDefault(savepoint, Set.of()));
    }

    @Override
    public void suspend() {
        TransactionSynchronizationManager.unbindResource(owner);
    }

    @Override
    public void resume() {
        TransactionSynchronizationManager.bindResource(owner, this);
    }

    /** No TransactionException: Spring would take one for the outcome of a commit, and not roll back what came after. */
    @Override
    public void beforeCommit(boolean readOnly) {
        if (rolledBack != null) {
            throw rolledBack;
        }
    }

    @Override
    public void beforeCompletion() {
        completing = true;
    }

    @Override
    public void afterCommit() {
        open = false;
    }

    @Override
    public void afterCompletion(int status) {
        open = false;
        TransactionSynchronizationManager.unbindResourceIfPossible(owner);
        owner.open.remove(this);
        endActions.forEach(action -> action.accept(status == STATUS_COMMITTED));
    }
}
