package io.rowlock.leader;

import static java.util.Objects.requireNonNullElseGet;

import io.rowlock.LockStoreException;
import io.rowlock.client.RowlockClient;
import io.rowlock.client.observe.Observers.Later;
import io.rowlock.store.DaemonThreads;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The elections a node takes part in, held on one daemon thread; each releases on one of its own. Thread-safe; one for an application.
 * Nothing is sought before {@link #start()}.
 */
public final class LeaderElections implements AutoCloseable {
    private static final Duration LAST_WORDS = Duration.ofMillis(500);

    /** The time that a round needs on a healthy database. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final RowlockClient client;
    final Consumer<? super LeadershipEvent> events;
    private final @Nullable String strategy;
    final ScheduledThreadPoolExecutor rounds;
    private final Map<String, LeaderElection> elections = new ConcurrentSkipListMap<>();
    private volatile boolean started;

    /**
     * @param client acquires the locks
     * @param events is called once for each change of any role, in the order of the changes, on a thread for events of that role: if it
     *     blocks, it delays no election, only the next event. Its exceptions are logged
     * @param strategy the strategy of the locks, or null for the client's default; it must not let go of a lock before its
     *     ttl is over, so {@code row-lock} is refused
     */
    public LeaderElections(RowlockClient client, Consumer<? super LeadershipEvent> events, @Nullable String strategy) {
        this.client = client;
        this.events = events;
        this.strategy = strategy;
        rounds = DaemonThreads.named("rowlock-leader").scheduler(1);
        rounds.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        rounds.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
    }

    /**
     * Takes part in the election of a role.
     *
     * @param role the role
     * @return its election; the same as before if the role was joined before
     * @throws IllegalArgumentException if it was joined with other settings, or its lock cannot be acquired with such a name,
     *     ttl or strategy
     * @throws LockStoreException if a server that has to tell does not answer
     */
    public LeaderElection join(LeaderRole role) {
        LeaderElection election = requireNonNullElseGet(elections.get(role.name()), () -> joined(role));
        if (!election.role.equals(role)) {
            throw new IllegalArgumentException("%s was joined before as %s".formatted(role, election.role));
        }
        return election;
    }

    /**
     * The election of a role, joined with the default settings if it was not joined before.
     *
     * @param role the name of the role
     * @return its election
     * @throws IllegalArgumentException if its lock cannot be acquired with such a name or strategy
     * @throws LockStoreException if a server that has to tell does not answer
     */
    public LeaderElection of(String role) {
        return requireNonNullElseGet(elections.get(role), () -> joined(LeaderRole.named(role)));
    }

    private LeaderElection joined(LeaderRole role) {
        LeaderElection election = new LeaderElection(role, client, strategy, this); // it may ask a server
        synchronized (this) {
            LeaderElection present = elections.putIfAbsent(role.name(), election);
            if (present != null) {
                return present;
            }
            if (started) {
                election.stand();
            }
            return election;
        }
    }

    /** @return every election joined so far, by the name of the role */
    public synchronized List<LeaderElection> all() {
        return List.copyOf(elections.values());
    }

    /** @return whether leadership is sought */
    public boolean isStarted() {
        return started;
    }

    /** Seeks the leadership of every enabled role from now on. Harmless if it does. */
    public synchronized void start() {
        started = true;
        elections.values().forEach(LeaderElection::stand);
    }

    /**
     * Yields every leadership at once and seeks none until it is started again. Waits for the releases, none of which waits for another,
     * and for a round that is under way, for a few seconds at most in all, so that nothing it wins is left behind, and half a second at
     * most for listeners to receive what has changed. What cannot be released is logged, and ends with its ttl.
     */
    public void stop() {
        started = false;
        List<LeaderElection> standing = all();
        List<Runnable> releases =
                standing.stream().map(LeaderElection::withdraw).toList();
        releases.forEach(Runnable::run);
        long patience = System.nanoTime() + (rounds.isShutdown() ? 0 : PATIENCE.toNanos()); // once is enough
        Later.settle(rounds, patience); // the leadership that the last round has won is released by then
        standing.forEach(election -> election.releases.settle(patience));
        long end = System.nanoTime() + LAST_WORDS.toNanos();
        standing.forEach(election -> election.announcements.settle(end));
    }

    /** As {@link #stop()}, for good. */
    @Override
    public void close() {
        stop();
        rounds.shutdown();
    }

    /**
     * Holds a round after five to eight tenths of {@code interval}, at random: on a busy machine, too, the rest is enough to hold
     * it, so that two successive ones are less than an interval apart.
     */
    void after(Duration interval, Runnable round) {
        long nanos = (long) (interval.toNanos() * ThreadLocalRandom.current().nextDouble(0.5, 0.8));
        ScheduledFuture<?> unused = rounds.schedule(round, nanos, TimeUnit.NANOSECONDS);
    }
}
