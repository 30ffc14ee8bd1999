package io.rowlock.client.lock;

import io.rowlock.LockMode;
import io.rowlock.Printable;
import io.rowlock.client.lock.DetachableLock.CommitGuard;
import io.rowlock.client.request.ResolvedRequest;
import java.io.Serial;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The locks of each thread, and those it relies on though another thread holds them. A lock is the thread's as long as it is here. Not
 * thread-local, because a lock may be closed on another thread than the one that took it. A thread without any is not in it, and one that has ended only
 * until the client looks for it. Works for virtual threads alike. Thread-safe.
 */
final class ThreadLocks {
    /** A lock by what the thread finds it with to enter it again: its id. A permit is not entered again. */
    private final ConcurrentMap<Thread, Map<Object, ThreadLock>> locks = new ConcurrentHashMap<>();

    private final Set<CommitGuard> guards = ConcurrentHashMap.newKeySet();

    /** A thread that holds a key asked for it in a way that it would itself be in the way of. */
    static final class UpgradeRefusedException extends IllegalStateException {
        @Serial
        private static final long serialVersionUID = 1L;

        /** @param mode how the thread holds it */
        UpgradeRefusedException(ResolvedRequest wanted, LockMode mode) {
            super(message(wanted, mode).formatted(Printable.of(wanted.name())));
        }

        private static String message(ResolvedRequest wanted, LockMode mode) {
            if (mode == LockMode.SHARED) {
                return "The thread holds \"%s\" shared and asks for it exclusive: two that do so would wait for each other for ever,"
                        + " so a lock is never upgraded; release the shared one first";
            }
            return wanted.mode() == LockMode.PERMIT
                    ? "The thread holds \"%s\" exclusive and asks for a permit of it: it would wait for itself; release the lock first"
                    : "The thread holds a permit of \"%s\" and asks for it exclusive: it would wait for itself; release the permit first";
        }
    }

    public void add(Thread thread, ThreadLock lock) {
        locks.compute(thread, (key, present) -> {
            Map<Object, ThreadLock> all = present == null ? new ConcurrentHashMap<>() : present;
            all.put(name(lock), lock);
            return all;
        });
    }

    public void remove(Thread thread, ThreadLock lock) {
        locks.computeIfPresent(thread, (key, all) -> {
            all.remove(name(lock), lock);
            return all.isEmpty() ? null : all;
        });
    }

    private static Object name(ThreadLock lock) {
        return lock.id().permit() ? lock : lock.id();
    }

    /** The lock that the calling thread can enter again. */
    public @Nullable ThreadLock ofCaller(ResolvedRequest.Id id) {
        return locks.getOrDefault(Thread.currentThread(), Map.of()).get(id);
    }

    /** Returns true if the calling thread has the lock, and not only until its transaction has completed. */
    boolean isEnteredByCaller(ResolvedRequest wanted) {
        ThreadLock own = ofCaller(wanted.id());
        return own != null && own.isEntered();
    }

    /**
     * A permit and an exclusive lock of one key exclude each other, also for one thread.
     *
     * @throws UpgradeRefusedException if the calling thread holds the other one
     */
    public void requireNotInOwnWay(ResolvedRequest wanted) {
        ResolvedRequest.Id id = wanted.id();
        ResolvedRequest.Id other = new ResolvedRequest.Id(id.strategy(), id.key(), !id.permit());
        for (ThreadLock held : ofCaller()) {
            if (held.id().equals(other)
                    && (held.mode() == LockMode.EXCLUSIVE || wanted.mode() == LockMode.EXCLUSIVE)
                    && held.lease().isHeld()) {
                throw new UpgradeRefusedException(wanted, held.mode());
            }
        }
    }

    public Collection<ThreadLock> ofCaller() {
        return List.copyOf(locks.getOrDefault(Thread.currentThread(), Map.of()).values());
    }

    /** Returns true if a transaction, be it suspended, keeps a lock that the calling thread has or relies on. */
    boolean isKeptByTransactionOfCaller() {
        return guardingCaller().stream().anyMatch(ThreadLock::isKept);
    }

    boolean isOfCaller(ThreadLock lock) {
        return locks.getOrDefault(Thread.currentThread(), Map.of()).get(name(lock)) == lock;
    }

    /** The locks of the calling thread, and then those that it relies on without holding them. */
    List<ThreadLock> guardingCaller() {
        List<ThreadLock> guarding = new ArrayList<>(ofCaller());
        for (CommitGuard guard : guards) {
            if (guard.thread == Thread.currentThread()) {
                guarding.addAll(guard.guarding);
            }
        }
        return guarding;
    }

    /** Makes a thread rely on locks that need not be its own. */
    void add(CommitGuard guard) {
        guards.add(guard);
    }

    void remove(CommitGuard guard) {
        guards.remove(guard);
    }

    /** Every thread that is in it. */
    public Stream<Thread> all() {
        return Stream.concat(locks.keySet().stream(), guards.stream().map(guard -> guard.thread));
    }

    /** Removes a thread that has ended. @return the locks it still held */
    public Collection<ThreadLock> takeAll(Thread ended) {
        guards.removeIf(guard -> guard.thread == ended);
        Map<Object, ThreadLock> all = locks.remove(ended);
        return all == null ? List.of() : List.copyOf(all.values());
    }

    public int threads() {
        return (int) all().distinct().count();
    }
}
