package io.rowlock.leader;

import io.rowlock.LockStoreException;
import io.rowlock.OnLost;
import io.rowlock.client.RowlockClient;
import io.rowlock.client.lock.DetachableLock;
import io.rowlock.client.observe.Observers.Later;
import io.rowlock.store.DaemonThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The elections a node takes part in, held on one daemon thread. Thread-safe; one for an application. Nothing is sought
 * before {@link #start()}.
 */
public final class LeaderElections implements AutoCloseable {
    private static final Logger logger = LoggerFactory.getLogger(LeaderElections.class);
    private static final Duration LAST_WORDS = Duration.ofMillis(500);

    /** The time that a round needs on a healthy database. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final RowlockClient client;
    private final List<LeadershipListener> listeners;
    private final @Nullable String strategy;
    private final ScheduledThreadPoolExecutor rounds;
    private final Map<String, LeaderElection> elections = new ConcurrentSkipListMap<>();
    private boolean started;

    /**
     * @param client takes the locks
     * @param listeners the listeners of all roles
     */
    public LeaderElections(RowlockClient client, Collection<? extends LeadershipListener> listeners) {
        this(client, listeners, null);
    }

    /**
     * @param client takes the locks
     * @param listeners the listeners of all roles
     * @param strategy the strategy of the locks, or null for the client's default; it must not let go of a lock before its
     *     ttl is over, so {@code row-lock} is refused
     */
    public LeaderElections(
            RowlockClient client, Collection<? extends LeadershipListener> listeners, @Nullable String strategy) {
        this.client = client;
        this.listeners = new ArrayList<>(listeners);
        this.strategy = strategy;
        rounds = DaemonThreads.named("rowlock-leader").scheduler(1);
        rounds.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /**
     * Takes part in the election of a role.
     *
     * @param role the role
     * @return its election; the same as before if the role was joined before
     * @throws IllegalArgumentException if it was joined with other settings, or its lock cannot be taken with such a name,
     *     ttl or strategy
     * @throws LockStoreException if a server that has to tell does not answer
     */
    public LeaderElection join(LeaderRole role) {
        LeaderElection present = elections.get(role.name());
        LeaderElection election = present == null ? joined(role) : present;
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
     * @throws IllegalArgumentException if its lock cannot be taken with such a name or strategy
     * @throws LockStoreException if a server that has to tell does not answer
     */
    public LeaderElection of(String role) {
        LeaderElection present = elections.get(role);
        return present == null ? joined(LeaderRole.named(role)) : present;
    }

    private LeaderElection joined(LeaderRole role) {
        LeaderElection election = new LeaderElection(role, client, strategy, this); // it may ask a server
        synchronized (this) {
            LeaderElection present = elections.putIfAbsent(role.name(), election);
            if (present != null) {
                return present;
            }
            listeners.forEach(election::addListener);
            if (started) {
                election.stand();
            }
            return election;
        }
    }

    /**
     * Notifies a listener of every change in any role from now on.
     *
     * @param listener the listener
     */
    public synchronized void addListener(LeadershipListener listener) {
        listeners.add(listener);
        elections.values().forEach(election -> election.addListener(listener));
    }

    /** @return every election joined so far, by the name of the role */
    public synchronized List<LeaderElection> all() {
        return List.copyOf(elections.values());
    }

    /** @return whether leadership is sought */
    public synchronized boolean isStarted() {
        return started;
    }

    /** Seeks the leadership of every enabled role from now on. Harmless if it does. */
    public synchronized void start() {
        started = true;
        elections.values().forEach(LeaderElection::stand);
    }

    /**
     * Yields every leadership at once and seeks none until it is started again. Waits for the releases and for a round that is under
     * way, for a few seconds at most in all, so that nothing it wins is left behind, and half a second at most for listeners to receive
     * what has changed. What cannot be released is logged, and ends with its ttl.
     */
    public void stop() {
        List<LeaderElection> standing;
        synchronized (this) {
            started = false;
            standing = new ArrayList<>(elections.values());
        }
        List<DetachableLock> given = standing.stream()
                .map(LeaderElection::withdraw)
                .flatMap(Optional::stream)
                .toList();
        given.forEach(DetachableLock::leaveToTtl); // not renewed, though a release may not come
        given.forEach(lock -> after(Duration.ZERO, () -> OnLost.NOTIFY.afterReturn(lock)));
        // All is released by then, the leadership that the last round has won as well
        Later.settle(rounds, System.nanoTime() + PATIENCE.toNanos());
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
        try {
            ScheduledFuture<?> unused = rounds.schedule(round, nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            logger.debug("There are no more rounds: the elections are closed");
        }
    }
}
