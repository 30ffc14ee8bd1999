package io.rowlock.client;

import io.rowlock.HeldLock;
import io.rowlock.Printable;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds locks whose thread has ended without closing them, and says so once. A handle can be closed by any thread, so its
 * lock stays as it is. A grant of a view could be unlocked by its own thread only, so a lock with no other grants is left to
 * its ttl. Thread-safe; asks no database on the calling thread.
 */
public final class AbandonedLocks {
    private static final Logger log = LoggerFactory.getLogger(AbandonedLocks.class);

    /** How often to look as long as any thread holds a lock. */
    public static final long EVERY = Duration.ofSeconds(10).toNanos();

    private final ThreadLocks holds;
    private final ViewGrants views;
    private final Executor background;

    /** @param background where the database may be asked */
    AbandonedLocks(ThreadLocks holds, ViewGrants views, Executor background) {
        this.holds = holds;
        this.views = views;
        this.background = background;
    }

    /** @return when to look again, or {@code never} if no thread holds anything */
    public long look(long now, long never) {
        Set<Thread> ended = Stream.concat(holds.all(), views.threads())
                .filter(thread -> !thread.isAlive())
                .collect(Collectors.toSet());
        ended.forEach(this::abandoned);
        return holds.threads() == 0 && views.size() == 0 ? never : now + EVERY;
    }

    private void abandoned(Thread thread) {
        List<ThreadLock> unlockableByNone =
                views.takeAll(thread).stream().map(AbandonedLocks::holdOf).toList();
        for (ThreadLock hold : holds.takeAll(thread)) {
            int ofViews = (int)
                    unlockableByNone.stream().filter(other -> other == hold).count();
            try {
                boolean closable = hold.abandoned(ofViews, background);
                log.warn(
                        "The thread \"{}\" has ended without closing the lock \"{}\" (token {}), which it got {} s ago; {}",
                        thread.getName(),
                        Printable.of(hold.name()),
                        hold.token(),
                        hold.age().toSeconds(),
                        closable && hold.lease().isRenewed()
                                ? "it is renewed until its handle is closed"
                                : "it is not renewed, so it ends with its ttl");
            } catch (RuntimeException e) {
                log.warn(
                        "The lock \"{}\" of a thread that has ended was not looked after",
                        Printable.of(hold.name()),
                        e);
            }
        }
    }

    private static ThreadLock holdOf(HeldLock grantOfAView) {
        return ((KeyHandle) grantOfAView).hold();
    }
}
