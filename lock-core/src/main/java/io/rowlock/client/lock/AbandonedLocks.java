package io.rowlock.client.lock;

import io.rowlock.Printable;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds locks whose thread has ended without closing them, and warns, again and again. A handle can be closed by any thread, so its
 * lock stays as it is. A handle of a view could be closed by its own thread only, so a lock with no other grants is left to its ttl.
 * Thread-safe; asks no database.
 */
final class AbandonedLocks {
    private static final Logger log = LoggerFactory.getLogger(AbandonedLocks.class);
    private static final long WARN_EVERY = Duration.ofMinutes(10).toNanos();

    private final ProcessLocks process;

    /** Locks of threads that have ended, and when that was warned of. */
    private final Map<ThreadLock, Long> abandoned = new HashMap<>();

    AbandonedLocks(ProcessLocks process) {
        this.process = process;
    }

    /** @return whether to look again: a thread holds a lock, or held one */
    synchronized boolean look() {
        long now = process.observers.ticker().nanoTime();
        Set<Thread> ended =
                process.threadLocks.all().filter(thread -> !thread.isAlive()).collect(Collectors.toSet());
        ended.forEach(thread -> abandoned(thread, now));
        abandoned.keySet().removeIf(ThreadLock::isEnded);
        abandoned.replaceAll((lock, warned) -> now - warned >= WARN_EVERY && lock.claims() ? warn(lock, now) : warned);
        return process.threadLocks.threads() > 0 || !abandoned.isEmpty();
    }

    private void abandoned(Thread thread, long now) {
        process.interrupts.ended(thread);
        for (ThreadLock lock : process.threadLocks.takeAll(thread)) {
            lock.abandoned();
            abandoned.put(lock, warn(lock, now));
        }
    }

    private static long warn(ThreadLock lock, long now) {
        String name = Printable.of(lock.request.name());
        log.warn(
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
