package io.rowlock.client;

import io.rowlock.HeldLock;
import io.rowlock.Printable;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds locks whose thread has ended without closing them, and warns once. A handle can be closed by any thread, so its
 * lock stays as it is. A handle of a view could be closed by its own thread only, so a lock with no other grants is left to
 * its ttl. Thread-safe; asks no database on the calling thread.
 */
final class AbandonedLocks {
    private static final Logger log = LoggerFactory.getLogger(AbandonedLocks.class);

    private final ThreadLocks threadLocks;
    private final LockView.Handles views;
    private final Executor background;

    /** @param background where the database may be asked */
    AbandonedLocks(ThreadLocks threadLocks, LockView.Handles views, Executor background) {
        this.threadLocks = threadLocks;
        this.views = views;
        this.background = background;
    }

    /** @return whether to look again: a thread holds a lock */
    boolean look() {
        Set<Thread> ended = Stream.concat(threadLocks.all(), views.threads())
                .filter(thread -> !thread.isAlive())
                .collect(Collectors.toSet());
        ended.forEach(this::abandoned);
        return threadLocks.threads() > 0 || views.size() > 0;
    }

    private void abandoned(Thread thread) {
        List<ThreadLock> unreachable =
                views.takeAll(thread).stream().flatMap(AbandonedLocks::locksOf).toList();
        for (ThreadLock lock : threadLocks.takeAll(thread)) {
            int ofViews =
                    (int) unreachable.stream().filter(other -> other == lock).count();
            try {
                boolean closable = lock.abandoned(ofViews, background);
                log.warn(
                        "The thread \"{}\" has ended without closing the lock \"{}\" (token {}), which it got {} s ago; {}",
                        thread.getName(),
                        Printable.of(lock.name()),
                        lock.token(),
                        lock.age().toSeconds(),
                        closable && lock.lease().isRenewed()
                                ? "it is renewed until its handle is closed"
                                : "it is not renewed, so it ends with its ttl");
            } catch (RuntimeException e) {
                log.warn(
                        "The lock \"{}\" of a thread that has ended was not looked after",
                        Printable.of(lock.name()),
                        e);
            }
        }
    }

    /** A lock of strategy {@code transaction} has none: it ends with its transaction. */
    private static Stream<ThreadLock> locksOf(HeldLock handleOfAView) {
        if (handleOfAView instanceof LockHandle several) {
            several.endInterrupts();
        }
        return handleOfAView.parts().stream()
                .filter(KeyHandle.class::isInstance)
                .map(part -> ((KeyHandle) part).threadLock());
    }
}
