package io.rowlock.client.lock;

import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.client.request.Deadline;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.client.request.Ticker;
import io.rowlock.store.LeaseRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends leases of which this process does not know whether it has them: attempts and releases without an answer. No thread renews
 * such a lease, so it expires after its ttl at the latest; to end it earlier saves other owners the wait. Each is tried again and
 * again, with growing pauses, in the background, and by the next thread of the process that wants the key. Thread-safe.
 *
 * <p>An attempt without an answer may still be on its way, so the tries go on after one that found nothing to end. They stop once
 * the store knows that nothing can come of the attempt any more, and otherwise after a minute or the ttl, if that is longer.
 * Should the attempt arrive even later, its key is held for one ttl.
 */
final class PendingReleases implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(PendingReleases.class);

    /** The least time for which an attempt without an answer may be on its way. */
    private static final Duration ON_ITS_WAY = Duration.ofMinutes(1);

    private static final long SHORTEST_PAUSE = Duration.ofMillis(500).toNanos();
    private static final long LONGEST_PAUSE = Duration.ofSeconds(5).toNanos();

    /** The longest time that a closing client waits for the last releases: more than the database needs to answer by default. */
    private static final long CLOSE_TIMEOUT = Duration.ofSeconds(6).toNanos();

    /** More than that are left to their ttl. */
    private static final int MOST = 1_000;

    private final Ticker ticker;
    private final Background background;
    private final Set<Pending> all = ConcurrentHashMap.newKeySet();

    /**
     * A release or an attempt to be undone, until the store has answered that it has ended.
     *
     * @param until when it is too late to matter
     * @param answered when the store last answered a try, which did not end it
     */
    private record Pending(
            ResolvedRequest request, BooleanSupplier ending, long until, AtomicReference<@Nullable Long> answered) {}

    /** @param background ends with these releases */
    public PendingReleases(Ticker ticker, Background background) {
        this.ticker = ticker;
        this.background = background;
    }

    /** Ends what an attempt of uncertain outcome acquired, or will acquire, in the background. */
    public void abandon(ResolvedRequest request, LeaseRequest attempt) {
        Duration ttl = request.ttl();
        add(request, () -> request.store().abandon(attempt), ttl.compareTo(ON_ITS_WAY) > 0 ? ttl : ON_ITS_WAY);
    }

    /**
     * Ends a lease of which no answer came, in the background.
     *
     * @param ending asks the database, and may do so at any time and any number of times; true if it need not be asked again
     * @param lasting how long it may matter
     */
    public void add(ResolvedRequest request, BooleanSupplier ending, Duration lasting) {
        if (size() >= MOST) {
            log.debug(
                    "There are too many pending releases, so \"{}\" is left to its ttl", Printable.of(request.name()));
            return;
        }
        Pending added = new Pending(request, ending, ticker.nanoTime() + lasting.toNanos(), new AtomicReference<>());
        all.add(added);
        later(added, SHORTEST_PAUSE);
    }

    /** Returns how many there are at the moment. */
    public int size() {
        return all.size();
    }

    /**
     * Ends those of a key, except those that were tried a moment ago; first those that were never answered, which hold the key most
     * likely. The background ends what is left after {@code deadline}.
     *
     * @return whether this call ended one
     * @throws LockStoreException if the database could not be asked
     */
    public boolean clear(ResolvedRequest.Id id, Deadline deadline) {
        if (all.isEmpty()) {
            return false;
        }
        List<Pending> ofKey = new ArrayList<>();
        all.stream()
                .filter(each -> each.request().id().equals(id))
                .forEach(each -> ofKey.add(each.answered().get() == null ? 0 : ofKey.size(), each));
        boolean ended = false;
        boolean tried = false;
        for (Pending each : ofKey) {
            Long answered = each.answered().get();
            if (!(tried && deadline.isOver()) && (answered == null || ticker.nanoTime() - answered >= SHORTEST_PAUSE)) {
                tried = true;
                ended |= end(each);
            }
        }
        return ended;
    }

    /** Tries once, unless it has ended or it is too late. @return whether this try ended it */
    private boolean end(Pending pending) {
        boolean late = pending.until() - ticker.nanoTime() <= 0;
        boolean ended = false;
        if (!late && all.contains(pending)) {
            ended = pending.ending().getAsBoolean();
            pending.answered().set(ticker.nanoTime());
        }
        if (late || ended) {
            all.remove(pending);
        }
        return ended;
    }

    private void later(Pending pending, long pause) {
        background.later(
                () -> {
                    try {
                        boolean unused = end(pending);
                    } finally {
                        if (all.contains(pending)) {
                            later(pending, Math.min(LONGEST_PAUSE, 2 * pause));
                        }
                    }
                },
                pause);
    }

    /** Tries all of them once more, as far as the database answers soon. None is added any more. */
    @Override
    public void close() {
        long start = System.nanoTime();
        boolean done = background.close(CLOSE_TIMEOUT);
        all.forEach(each -> {
            String name = Printable.of(each.request().name());
            try {
                boolean unused = done && System.nanoTime() - start < CLOSE_TIMEOUT && end(each);
            } catch (RuntimeException e) {
                log.debug("\"{}\" may still be held", name, e);
            }
            if (each.answered().get() == null) {
                log.info("\"{}\" may be held until its ttl is over", name);
            }
        });
    }
}
