package io.rowlock.client.admin;

import io.rowlock.LockHolder;
import io.rowlock.LockMode;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.client.lock.ProcessLocks;
import io.rowlock.client.request.LockClientSettings;
import io.rowlock.client.request.RequestResolver;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.store.DaemonThreads;
import io.rowlock.store.LockLog;
import io.rowlock.store.LockLog.LogFilter;
import io.rowlock.store.LockLog.LogRow;
import io.rowlock.store.LockStore;
import io.rowlock.store.inspection.LiveLock;
import io.rowlock.store.inspection.StoreInspection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows an operator the locks of all processes, and ends them. Keys are those the program uses: locks outside of
 * the client's key prefix are neither seen nor touched. Thread-safe. What asks the database fails with
 * {@link LockStoreException} if it cannot be asked.
 */
public final class LockAdmin {
    private static final Logger log = LoggerFactory.getLogger(LockAdmin.class);

    /** The most locks that a page has. */
    public static final int LARGEST_PAGE = 1_000;

    /**
     * A lock that is held, as an operator sees it.
     *
     * @param key the key as programs name it, without the prefix
     * @param name the static name: the one this process holds the key by, else what {@link LockRequest#name} gives
     * @param thisNode whether this process holds it
     * @param token the token of the first grant of its lease, or null if it is not known
     * @param since since when, or null if that is not known or the lock is released and only kept for its minimum
     * @param remaining how long it still lasts without a renewal, or null if it is not known
     * @param localWaiters how many threads of this process wait for the key
     */
    public record Held(
            String key,
            String name,
            LockMode mode,
            String owner,
            boolean thisNode,
            @Nullable Long token,
            @Nullable Instant since,
            @Nullable Duration remaining,
            int localWaiters,
            String strategy) {

        /** @return it as clients see it */
        public LockHolder holder() {
            return new LockHolder(owner, mode, strategy, token, since, remaining);
        }
    }

    /**
     * Some of the locks that are held.
     *
     * @param locks them, in the order of their keys' bytes
     * @param next what to ask for to see those behind them, or null if there are none
     */
    public record Page(List<Held> locks, @Nullable String next) {}

    private final RequestResolver resolver;
    private final ProcessLocks process;
    private final LockLog history;

    public LockAdmin(RequestResolver resolver, ProcessLocks process, LockLog history) {
        this.resolver = resolver;
        this.process = process;
        this.history = history;
    }

    /**
     * Locks that are held, of every strategy whose locks can be seen, one strategy after the other.
     *
     * @param prefix what their keys begin with; empty for all
     * @param after the {@link Page#next} of the page before, or null for the first page
     * @param limit 1 to {@value #LARGEST_PAGE}
     * @return them
     * @throws IllegalArgumentException if a parameter is not possible
     */
    public Page page(String prefix, @Nullable String after, int limit) {
        requireLimit(limit);
        PageCursor start = after == null ? PageCursor.START : PageCursor.parse(after);
        PageCursor last = start;
        String full = resolver.settings().stored(prefix);
        Map<ResolvedRequest.Id, String> names = process.names();
        List<Held> seen = new ArrayList<>();
        for (Map.Entry<String, StoreInspection> each :
                inspections().tailMap(start.strategy()).entrySet()) {
            String strategy = each.getKey();
            int left = limit - seen.size();
            List<LiveLock> found = each.getValue().page(start.range(strategy, full), left + 1);
            for (LiveLock lock : found.subList(0, Math.min(left, found.size()))) {
                last = new PageCursor(strategy, lock.key(), lock.slot());
                if (resolver.settings().owns(lock.key())) {
                    seen.add(seen(strategy, lock, names));
                }
            }
            if (found.size() > left) {
                return new Page(List.copyOf(seen), last.text());
            }
        }
        return new Page(List.copyOf(seen), null);
    }

    private static void requireLimit(int limit) {
        if (limit < 1 || limit > LARGEST_PAGE) {
            throw new IllegalArgumentException(
                    "The limit is %d, but 1 to %d are possible".formatted(limit, LARGEST_PAGE));
        }
    }

    /**
     * The holders of a key.
     *
     * @param key the key
     * @return every holder, of every strategy whose locks can be seen
     */
    public List<Held> holders(String key) {
        String full = resolver.settings().stored(key);
        Map<ResolvedRequest.Id, String> names = process.names();
        List<Held> seen = new ArrayList<>();
        inspections()
                .forEach((strategy, inspection) ->
                        inspection.holders(full).forEach(lock -> seen.add(seen(strategy, lock, names))));
        return seen;
    }

    private Held seen(String strategy, LiveLock lock, Map<ResolvedRequest.Id, String> names) {
        ResolvedRequest.Id id = new ResolvedRequest.Id(strategy, lock.key(), lock.mode() == LockMode.PERMIT);
        String key = resolver.settings().named(lock.key());
        String name = names.get(id);
        return new Held(
                key,
                name == null ? LockRequest.exclusive(key).name() : name,
                lock.mode(),
                lock.owner(),
                lock.owner().equals(resolver.settings().owner()),
                lock.fence(),
                lock.since(),
                lock.remaining(),
                process.waiting(id),
                strategy);
    }

    /**
     * Returns how many threads of this process wait for a lease of a key, of whatever store, and whether or not its holder can be seen.
     *
     * @param key the key
     * @return that many
     */
    public int waiting(String key) {
        String full = resolver.settings().stored(key);
        return resolver.stores().stream()
                .flatMap(store ->
                        Stream.of(false, true).map(permit -> new ResolvedRequest.Id(store.strategy(), full, permit)))
                .mapToInt(process::waiting)
                .sum();
    }

    private SortedMap<String, StoreInspection> inspections() {
        SortedMap<String, StoreInspection> byStrategy = new TreeMap<>();
        for (LockStore store : resolver.stores()) {
            store.inspection().ifPresent(inspection -> byStrategy.put(store.strategy(), inspection));
        }
        return byStrategy;
    }

    /**
     * The last grants in the lock log, the latest first. What is null does not restrict them.
     *
     * @param key their key
     * @param owner their owner
     * @param from granted then or later, by the database's clock
     * @param to granted before then
     * @param limit 1 to {@value #LARGEST_PAGE}
     * @return them, with keys as the program uses them; empty if no log is kept
     * @throws IllegalArgumentException if the limit is not possible
     */
    public List<LogRow> history(
            @Nullable String key, @Nullable String owner, @Nullable Instant from, @Nullable Instant to, int limit) {
        requireLimit(limit);
        LockClientSettings settings = resolver.settings();
        return history.find(
                new LogFilter(settings.stored(""), key == null ? null : settings.stored(key), owner, from, to, limit));
    }

    /**
     * Ends every lock on a key, whatever its owner. Commits under it are refused. A holder in this process is
     * notified of the loss at once; one in another process finds out with its next renewal, check or commit.
     *
     * @param key the key
     * @param by the operator, for the log
     * @param reason the reason, for the log
     * @return the locks that were ended
     */
    public List<Held> release(String key, String by, String reason) {
        String note = "released by force by %s: %s".formatted(Printable.of(by), Printable.of(reason));
        String full = resolver.settings().stored(key);
        Map<ResolvedRequest.Id, String> names = process.names();
        List<Held> ended = new ArrayList<>();
        inspections()
                .forEach((strategy, inspection) -> inspection.holders(full).stream()
                        .filter(inspection::end)
                        .forEach(lock -> {
                            Held seen = seen(strategy, lock, names);
                            report(seen, lock, note);
                            ended.add(seen);
                        }));
        return ended;
    }

    private void report(Held seen, LiveLock ended, String note) {
        DaemonThreads.warn(
                log,
                "The lock \"{}\" ({}, token {}) of {} was {}",
                Printable.of(seen.key()),
                seen.strategy(),
                seen.token(),
                Printable.of(seen.owner()),
                note);
        process.forcedOut(seen.strategy(), ended);
        try {
            history.ended(seen.strategy(), ended, note);
        } catch (LockStoreException e) {
            DaemonThreads.warn(log, "The lock log does not say that a lock was {}: {}", note, e.getMessage());
        }
    }

    /** @return the state of this process and its locks, without asking the database */
    public ProcessLocks.Node node() {
        return process.node(resolver.settings());
    }

    /** @return what shows the locks of the default strategy, if it shows them */
    public Optional<StoreInspection> usual() {
        return Optional.ofNullable(inspections().get(resolver.settings().strategy()));
    }
}
