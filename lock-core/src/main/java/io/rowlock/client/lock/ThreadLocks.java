package io.rowlock.client.lock;

import io.rowlock.LockMode;
import io.rowlock.Printable;
import io.rowlock.client.lock.DetachableLock.CommitGuard;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.store.DaemonThreads;
import java.io.Serial;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The locks of each thread, and those it relies on though another thread holds them. A lock is the thread's as long as it is here. Not
 * thread-local, because a lock may be closed on another thread than the one that acquired it. A thread without any is not in it, and one that has ended only
 * until the client looks for it. Works for virtual threads alike. Thread-safe.
 *
 * <p>Warns of locks whose thread has ended without closing them, again and again. A handle can be closed by any thread, so its
 * lock stays as it is. A handle of a view could be closed by its own thread only, so a lock with no other grants is left to its ttl.
 */
final class ThreadLocks {
    private static final Logger log = LoggerFactory.getLogger(ThreadLocks.class);
    private static final long WARN_EVERY = Duration.ofMinutes(10).toNanos();

    /** A lock by what the thread finds it with to enter it again: its id. A permit is not entered again. */
    private final ConcurrentMap<Thread, Map<Object, ThreadLock>> locks = new ConcurrentHashMap<>();

    private final Set<CommitGuard> guards = ConcurrentHashMap.newKeySet();

    /** Locks of threads that have ended, and when that was warned of. */
    private final Map<ThreadLock, Long> abandoned = new HashMap<>();

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

    /** The threads that have a lock or rely on one. */
    Stream<Thread> threads() {
        return Stream.concat(locks.keySet().stream(), guards.stream().map(guard -> guard.thread))
                .distinct();
    }

    // ---- threads that have ended

    /** @return whether to look again: a thread holds a lock, or held one */
    synchronized boolean lookForAbandoned(long now, LossInterrupts interrupts) {
        for (Thread ended : threads().filter(thread -> !thread.isAlive()).toList()) {
            interrupts.ended(ended);
            guards.removeIf(guard -> guard.thread == ended);
            Map<Object, ThreadLock> left = locks.remove(ended);
            for (ThreadLock lock : left == null ? List.<ThreadLock>of() : left.values()) {
                lock.abandoned();
                abandoned.put(lock, warn(lock, now));
            }
        }
        abandoned.keySet().removeIf(ThreadLock::isEnded);
        abandoned.replaceAll((lock, warned) -> now - warned >= WARN_EVERY && lock.claims() ? warn(lock, now) : warned);
        return threads().findAny().isPresent() || !abandoned.isEmpty();
    }

    private static long warn(ThreadLock lock, long now) {
        String name = Printable.of(lock.request.name());
        DaemonThreads.warn(
                log,
                "The thread \"{}\" has ended without closing the lock \"{}\" (token {}), which it got {} s ago; {}",
                lock.waiter.getName(),
                name,
                lock.token(),
                lock.observation.age().toSeconds(),
                lock.lease().isRenewed() && lock.claims()
                        ? "it is renewed until its handle is closed, or until an operator frees it: DELETE /actuator/rowlock/%s?reason=abandoned"
                                .formatted(name)
                        : "it is not renewed, so it ends with its ttl");
        return now;
    }
}
