package io.rowlock.client.lock;

import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.client.lock.OpenTransactions.Rules;
import io.rowlock.client.observe.LockInstrumentation.Incident;
import io.rowlock.client.observe.ObservedLock;
import io.rowlock.store.CommitCheck;
import io.rowlock.store.CommitCheck.Trait;
import io.rowlock.store.DaemonThreads;
import io.rowlock.store.Lease;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * All that one transaction does with the locks of its thread: it keeps them until it has completed, since a lock that is released before
 * the commit would let the next holder read what the commit is about to change; and if a {@link io.rowlock.client.TransactionFence} guards it, it must not
 * commit once a lock that it relies on is lost. Used by its thread only.
 *
 * <p>Spring calls neither {@code afterCommit} nor {@code afterRollback} of a listener if another listener fails before the
 * commit with a {@code TransactionException}; synchronizations are called in every case. This one is the first of them: what
 * others do after the commit is not protected by its row locks. A transaction that does not synchronize has it as a resource instead.
 */
final class OpenTransaction implements TransactionSynchronization {
    private static final Logger log = LoggerFactory.getLogger(OpenTransaction.class);

    final ProcessLocks process;

    /** By what its commit is checked; null if by nothing, so that it only keeps locks. */
    private final @Nullable Rules rules;

    /** The transaction, if it has no synchronization. */
    private final @Nullable TransactionExecution alone;

    /** The locks that it keeps; of a transaction without synchronization, those that it relies on. */
    private final Set<ThreadLock> kept = new LinkedHashSet<>(0);

    private final List<OpenFence> fenced = new ArrayList<>(0);

    final Standing standing;

    /** True while another transaction, or none, is the current one. */
    boolean suspended;

    private final boolean declaredReadOnly;

    /** True if it can write nothing, so that nothing can be lost at its commit; null until that is asked, for its first lock. */
    private @Nullable Boolean onlyReads;

    private @Nullable EarlySnapshot snapshot;
    private @Nullable RuntimeException refusal;

    private volatile Stage stage = Stage.OPEN;

    /** The life of a transaction. Stages can be left out, but none comes back. */
    private enum Stage {
        OPEN,
        /** Spring is about to commit or to roll back. */
        ENDING,
        /** Its commit may come at any time, or have come. */
        COMMITTING,
        COMPLETED,
        /** Keeps its locks no longer. */
        OVER
    }

    /**
     * A transaction that has checked a lease and is not over, as the lease knows it.
     *
     * @param as what it was checked as, and is checked as again
     * @param check asks on the connection of that transaction, whose row locks can still last while {@code lasts} says so
     */
    record OpenFence(HeldLease lease, Lease as, Thread thread, CommitCheck check, BooleanSupplier lasts) {
        /** Returns the one of the calling thread whose row locks can still last, or null. */
        static @Nullable OpenFence of(HeldLease lease) {
            return lease.fences().stream()
                    .filter(fence -> fence.thread == Thread.currentThread() && fence.lasts.getAsBoolean())
                    .findFirst()
                    .orElse(null);
        }

        /** Returns true if its row locks keep other owners out until the transaction is over. */
        boolean protectsLease() {
            return check.traits().contains(Trait.PROTECTS_LEASE);
        }
    }

    /** When leases are checked. */
    private enum Moment {
        BEGIN,
        GRANT,
        COMMIT
    }

    OpenTransaction(ProcessLocks process, @Nullable Rules rules, @Nullable TransactionExecution transaction) {
        this.process = process;
        this.rules = rules;
        this.alone = TransactionSynchronizationManager.isSynchronizationActive() ? null : transaction;
        this.declaredReadOnly = transaction != null && transaction.isReadOnly();
        this.standing = rules == null || transaction == null ? Standing.UNKNOWN : Standing.of(rules, transaction);
        if (alone == null) {
            TransactionSynchronizationManager.registerSynchronization(this);
        } else {
            TransactionSynchronizationManager.bindResource(this, this);
        }
    }

    private void reach(Stage next) {
        stage = stage.compareTo(next) < 0 ? next : stage;
    }

    // ---- what it is

    boolean isCompleted() {
        return stage.compareTo(Stage.COMPLETED) >= 0;
    }

    /** Returns true if it keeps its locks no longer. Any thread may ask. */
    boolean isOver() {
        return stage == Stage.OVER;
    }

    /** Returns true if it is of a transaction that such a fence guards. */
    boolean isOf(TransactionExecution transaction, Rules guardedBy) {
        return guardedBy.equals(rules) && (alone == null || alone == transaction);
    }

    boolean isOfFence() {
        return rules != null;
    }

    /** Stays with the thread: a transaction of another manager that begins now unbinds nothing of this one. */
    @Override
    public void suspend() {
        suspended = true;
        TransactionSynchronizationManager.bindResource(this, this);
    }

    /** Asks those checks that the other transaction, which may be rolled back, has asked for both. Throws nothing, as {@link #begin}. */
    @Override
    public void resume() {
        suspended = false;
        Object unused = TransactionSynchronizationManager.unbindResourceIfPossible(this);
        try {
            check(isCompleted() || refusal != null ? List.of() : checkedAtBegin(kept), Moment.BEGIN);
        } catch (RuntimeException e) {
            refusal = e;
        }
    }

    /** Returns true if it is suspended, but what its thread does may still be done in its transaction. */
    boolean isSuspendedButOpen() {
        return suspended && !isCompleted() && standing.open().getAsBoolean();
    }

    /** Returns true if Spring has not said that its transaction has ended, as after some errors. */
    boolean isForgotten() {
        return alone != null && alone.isCompleted();
    }

    /** @throws IllegalStateException if no lock can be relied on in its transaction */
    void requireFit() {
        if (rules != null && rules.unfit() != null && !declaredReadOnly && !isForgotten()) {
            throw new IllegalStateException(rules.unfit());
        }
    }

    // ---- the locks that it keeps

    void keepUntilCompleted(ThreadLock lock) {
        boolean unused = kept.add(lock);
        if (alone == null) {
            lock.keptBy(this);
        }
    }

    // ---- the moments

    /**
     * Keeps what its thread holds, wherever that is closed, and asks those checks that want to be the first. Throws nothing: Spring would
     * leave the transaction's connection bound to the thread. The transaction is refused its commit.
     */
    void begin() {
        List<ThreadLock> guarding = process.threadLocks.guardingCaller();
        if (guarding.isEmpty()) {
            return;
        }
        guarding.stream().filter(process.threadLocks::isOfCaller).forEach(this::keepUntilCompleted);
        try {
            requireFit();
            check(checkedAtBegin(guarding), Moment.BEGIN);
        } catch (RuntimeException e) {
            refusal = e;
            boolean unused = rollBackNow(); // others need not wait for the end of its body
        }
    }

    /** @return false if that failed: what it has locked is locked until its end, which may be a commit */
    private boolean rollBackNow() {
        try {
            return rules == null || rules.rollBack().getAsBoolean();
        } catch (RuntimeException e) {
            DaemonThreads.warn(log, "A transaction under a lock is not rolled back yet: {}", e.getMessage(), e);
            return false;
        }
    }

    /**
     * Notes that the calling thread has acquired locks. Its transaction relies on them from now on and keeps them, and what it reads
     * must not be older than those that it has not kept before.
     *
     * @throws LockLostException if one of them was overtaken
     * @throws LockStoreException if that could not be checked
     */
    void granted(Collection<ThreadLock> locks) {
        relyOn(locks, true);
        locks.forEach(this::keepUntilCompleted);
    }

    /** @param areNew whether they were granted just now, and not to another thread before */
    void relyOn(Collection<ThreadLock> locks, boolean areNew) {
        if (isCompleted()) {
            return;
        }
        try {
            check(checkedAtBegin(locks), Moment.GRANT);
        } catch (LockStoreException e) {
            refusal = refusal == null ? e : refusal;
            throw e;
        }
        if (rules != null && canWrite()) {
            EarlySnapshot early = snapshot == null ? new EarlySnapshot(rules) : snapshot;
            locks.stream().filter(lock -> !kept.contains(lock)).forEach(lock -> early.granted(lock, areNew));
            snapshot = early;
        }
        if (stage == Stage.COMMITTING) { // acquired while JPA flushes
            locks.forEach(this::keepUntilCompleted); // a release would wait for what the check has locked
            checkAtCommit(locks);
        }
        if (suspended && !areNew) { // what relies on them in the inner transaction ends with that
            kept.addAll(locks);
        }
    }

    /**
     * Checks right before the commit.
     *
     * @throws LockLostException if the transaction must not commit
     * @throws LockStoreException if that could not be checked
     */
    void commit() {
        if (refusal != null) {
            throw refusal;
        }
        process.threadLocks.guardingCaller().forEach(this::keepUntilCompleted);
        List.copyOf(kept).forEach(this::keepUntilCompleted); // what it relied on only, until now
        checkAtCommit(kept);
        reach(Stage.COMMITTING);
    }

    private void checkAtCommit(Collection<ThreadLock> locks) {
        if (locks.isEmpty() || !canWrite()) {
            return;
        }
        check(locks, Moment.COMMIT);
        if (snapshot != null) {
            snapshot.check(); // after it: a lease that is lost has no row to be seen
        }
    }

    // ---- the checks

    private boolean canWrite() {
        if (onlyReads == null) {
            onlyReads = rules == null || (declaredReadOnly && rules.onlyReads().getAsBoolean());
        }
        return !onlyReads;
    }

    private @Nullable CommitCheck checkOf(ThreadLock lock) {
        return rules == null || !canWrite()
                ? null
                : rules.checks().get(lock.id().strategy());
    }

    private List<ThreadLock> checkedAtBegin(Collection<ThreadLock> locks) {
        return locks.stream().filter(this::isCheckedAtBegin).toList();
    }

    private boolean isCheckedAtBegin(ThreadLock lock) {
        CommitCheck check = checkOf(lock);
        return check != null && check.traits().contains(Trait.AT_BEGIN);
    }

    /**
     * Checks the leases in the order in which a store locks them. None is protected before it is checked, so that those that are checked late are renewed
     * until then.
     */
    private void check(Collection<ThreadLock> locks, Moment moment) {
        Map<HeldLease, ThreadLock> leases = new LinkedHashMap<>();
        for (ThreadLock lock : locks) {
            if (lock.isEnded()) { // though another thread of the process may go on with its lease
                String lost = lock.isLost() ? lock.lease().lostBecause() : null;
                throw refused(lock.lease(), moment, lock.token(), lost == null ? "it was released" : lost);
            }
            leases.putIfAbsent(lock.lease(), lock);
        }
        leases.keySet().forEach(lease -> requireHeld(lease, moment));
        Map<CommitCheck, CommitCheck> pinned = new HashMap<>(2);
        leases.entrySet().stream()
                .sorted(Map.Entry.comparingByKey(Comparator.comparing(HeldLease::lease, Lease.STORE_ORDER)))
                .forEach(each -> check(each.getKey(), each.getValue(), moment, pinned));
        leases.keySet().stream()
                .filter(lease -> lease.fences().stream().noneMatch(OpenFence::protectsLease))
                .forEach(lease -> requireHeld(lease, moment));
    }

    private static void requireHeld(HeldLease lease, Moment moment) {
        String because = lease.notHeldBecause();
        if (because != null) {
            throw refused(lease, moment, lease.token(), because);
        }
    }

    /**
     * Checks a lease that has no open fence of the thread yet. A fence is asked again right before the commit: the body may have lost its
     * row locks, as a deadlock's victim. Those of a transaction around this one last longer than this one, which would wait for them.
     * Row locks of one inside of it do not, so this one asks again when it is {@linkplain #resume() resumed}.
     */
    private void check(HeldLease lease, ThreadLock lock, Moment moment, Map<CommitCheck, CommitCheck> pinned) {
        CommitCheck check = checkOf(lock);
        OpenFence open = check == null ? null : OpenFence.of(lease);
        if (rules == null || check == null || (open != null && moment != Moment.COMMIT)) {
            return;
        }
        if (open == null) {
            CommitCheck own = pinned.computeIfAbsent(check, CommitCheck::pinned);
            Lease as = reliedOn(lock, lease.lease());
            open = new OpenFence(
                    lease, as, Thread.currentThread(), own, rules.rowLocks().get());
            lease.fenceOpened(open);
            fenced.add(open);
        }
        ask(open, moment);
        if (open.check().isElsewhere()) {
            fenced.remove(open);
            lease.fenceClosed(open);
        }
    }

    /** Several threads may rely on an exclusive lock of another thread at once, so their transactions share it. */
    private Lease reliedOn(ThreadLock lock, Lease lease) {
        boolean shared =
                lease.mode() == LockMode.EXCLUSIVE && isCheckedAtBegin(lock) && !process.threadLocks.isOfCaller(lock);
        return shared ? lease.as(LockMode.SHARED) : lease;
    }

    /** Asks the clock, the database, and the clock again: a renewal that ran late beside a reader would look good in the database. */
    private static void ask(OpenFence fence, Moment moment) {
        HeldLease lease = fence.lease();
        requireHeld(lease, moment);
        if (!fence.check().isHeld(fence.as())) {
            lease.gone(HeldLease.GONE);
            String because = moment == Moment.GRANT
                    ? "a transaction under a later lock has begun before it was used"
                    : "it expired, was taken over or was released, so the commit is refused";
            throw refused(lease, moment, lease.token(), because);
        }
        requireHeld(lease, moment);
    }

    /** Counts a transaction whose commit is refused from now on. @return why */
    private static LockLostException refused(HeldLease lease, Moment moment, long token, String because) {
        if (moment != Moment.GRANT) { // then the acquire is refused, and the transaction may go on without that lock
            lease.ending
                    .observers()
                    .measure(meters -> meters.count(Incident.COMMIT_REFUSED, ObservedLock.of(lease.request)));
        }
        return lease.ending.foundOver(lease, token, because);
    }

    // ---- the end

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    /** Not called if another synchronization fails before it with a TransactionException: Spring takes that for a failed commit. */
    @Override
    public void beforeCompletion() {
        reach(Stage.ENDING);
    }

    @Override
    public void afterCommit() {
        completed(true);
    }

    /** The locks that it keeps are released only now: what others do after the commit is done under them. */
    @Override
    public void afterCompletion(int status) {
        try {
            // Then Spring does not roll it back, and what puts its connection back in order would commit it
            if (stage == Stage.OPEN
                    && status != STATUS_COMMITTED
                    && !(kept.isEmpty() && process.threadLocks.guardingCaller().isEmpty())
                    && !rollBackNow()) {
                reach(Stage.COMMITTING);
            }
            completed(status == STATUS_COMMITTED);
        } finally {
            reach(Stage.OVER);
            each(kept, ThreadLock::settle, this::leave);
        }
    }

    /** A lock that is ended later is not in the way of the thread, which may want it again before. */
    private void leave(ThreadLock lock) {
        if (!lock.isEntered()) {
            process.threadLocks.remove(lock.waiter, lock);
        }
    }

    private <T> void each(Collection<T> ended, Consumer<T> action, Consumer<T> leave) {
        Throwable why = process.background.each(List.copyOf(ended), null, action, leave);
        if (why != null) {
            log.warn("A lock was not released after its transaction; that is tried again until its ttl is over", why);
        }
    }

    /** Notes that the transaction is over. Only the first call counts. */
    void completed(boolean committed) {
        if (isCompleted()) {
            return;
        }
        boolean mayHaveCome = stage == Stage.COMMITTING;
        reach(Stage.COMPLETED);
        if (alone != null) {
            Object unused = TransactionSynchronizationManager.unbindResourceIfPossible(this);
        }
        try {
            if (committed) {
                kept.forEach(lock -> lock.observation.completed());
            } else if (mayHaveCome) { // the commit failed or has no answer: it may still come
                kept.forEach(lock -> lock.lease().handOnNoMore());
            }
        } finally {
            each(fenced, fence -> fence.lease().fenceClosed(fence), fence -> {});
        }
    }
}
