package io.rowlock.leader;

import io.rowlock.HeldLock;
import io.rowlock.LockHolder;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.OnLost;
import io.rowlock.Printable;
import io.rowlock.client.RowlockClient;
import io.rowlock.client.lock.DetachableLock;
import io.rowlock.client.lock.DetachableLock.CommitGuard;
import io.rowlock.client.observe.Observers.Later;
import io.rowlock.leader.LeadershipEvent.Transition;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node's part in the election of the leader of one role. While the node does not lead, it tries to every interval; the
 * client renews what it has won. Made by {@link LeaderElections#join}.
 *
 * <p>There are never two leaders by their own clocks: {@link #isLeader()} becomes false, without asking the database, before the
 * database lets another node be promoted. What a leader does after it asked may still overlap with the next leader's
 * work; resources that remember the greatest {@link #term()} can refuse it, and a database transaction under
 * {@link LeaderOnly} or {@link #rely()} is refused its commit.
 *
 * <p>Thread-safe: {@code this} guards what changes; the database is asked without it.
 */
public final class LeaderElection {
    private static final Logger logger = LoggerFactory.getLogger(LeaderElection.class);
    private static final String KEY_PREFIX = "leader:";

    /** Every other node has a round in one interval after a lease has ended, and in two though it is still to be released. */
    private static final int INTERVALS_AFTER_LOSS = 1;

    private static final int INTERVALS_AFTER_YIELD = 2;

    final LeaderRole role;
    private final RowlockClient client;
    private final LockRequest request;
    private final LeaderElections elections;

    /** Announces one event after another. */
    final Later announcements = new Later("rowlock-leader-events", 1);

    /** Releases what the node led by, beside the rounds, of which one may hang. */
    final Later releases = new Later("rowlock-leader-release", 1);

    private volatile @Nullable DetachableLock leadership;
    private volatile long term;
    /** Counts the times the node began or ceased to stand; odd while it does. */
    private volatile int candidacy;

    private boolean unanswered;
    private long restsUntil = System.nanoTime();

    LeaderElection(LeaderRole role, RowlockClient client, @Nullable String strategy, LeaderElections elections) {
        this.role = role;
        this.client = client;
        LockRequest standard = LockRequest.exclusive(KEY_PREFIX + role.name())
                .withTtl(role.ttl())
                .withRenewal(true)
                .withWaitTime(Duration.ZERO);
        this.request = strategy == null ? standard : standard.withStrategy(strategy);
        this.elections = elections;
        client.validateLasting(request);
    }

    /** @return the name of the role */
    public String role() {
        return role.name();
    }

    /** @return whether this node leads for certain, by its own clock; asks no database */
    public boolean isLeader() {
        HeldLock lock = leadership;
        return lock != null && lock.isHeld();
    }

    /**
     * The term of this node's leadership: its fencing token, which grows with every change of leader in the cluster and
     * never goes back.
     *
     * @return the present term if this node leads, else the last one it had; 0 if it never led
     */
    public long term() {
        return term;
    }

    /**
     * The node that leads. Asks the database.
     *
     * @return the owner as the lock table shows it, or empty if no node leads at the moment
     * @throws LockStoreException if the database could not be asked
     */
    public Optional<String> leader() {
        return client.holder(request.keys().get(0)).map(LockHolder::owner);
    }

    /**
     * Gives the leadership up, at once, and does not seek it for two intervals, so that another node has a round to acquire
     * it. If there is none, this node acquires it again, with a new term. With an open transaction on the calling thread
     * this node leads no more at once, and the next can when the transaction has completed. Harmless if this node does not
     * lead.
     *
     * @throws LockStoreException if the database did not answer; this node does not lead any more, but the next leader may have
     *     to wait for the ttl
     */
    public void yieldLeadership() {
        HeldLock given;
        synchronized (this) {
            given = leadership == null ? null : left(INTERVALS_AFTER_YIELD);
        }
        if (given == null) {
            return;
        }
        try {
            given.close();
        } finally {
            // An open transaction keeps the lock, and so puts the round of the others off
            CommitGuard.afterTransaction(() -> rest(INTERVALS_AFTER_YIELD));
        }
    }

    private synchronized void rest(int intervals) {
        restsUntil = System.nanoTime() + intervals * role.interval().toNanos();
    }

    /**
     * The calling thread relies on the leadership: until that is closed, its commits are refused once the leadership is
     * lost, or yielded on another thread. A transaction in which the thread itself yields may commit, because the lock is
     * kept until it has. Asks the database only on behalf of a transaction that is open on the calling thread, if leadership is kept
     * outside of that database.
     *
     * @return the reliance, to be closed on the calling thread, or empty if this node does not lead
     * @throws io.rowlock.LockLostException if that transaction finds that this node does not lead any more
     * @throws io.rowlock.LockStoreException if that transaction could not check it
     */
    public Optional<CommitGuard> rely() {
        return Optional.ofNullable(leadership).filter(HeldLock::isHeld).map(DetachableLock::rely);
    }

    /** From now on the node seeks the leadership, if it is to. */
    void stand() {
        int begun;
        synchronized (this) {
            if (stands() || !role.enabled()) {
                return;
            }
            candidacy++;
            begun = candidacy;
            restsUntil = System.nanoTime();
        }
        elections.after(Duration.ZERO, () -> rounds(begun));
    }

    /** The node stops to lead and to stand for election. @return what begins to release the lock it led by */
    synchronized Runnable withdraw() {
        candidacy += candidacy % 2;
        DetachableLock given = left(INTERVALS_AFTER_YIELD);
        return () -> {
            if (given != null) {
                given.leaveToTtl(); // not renewed, though a release may not come
                release(given);
            }
        };
    }

    /** Releases it in the background, unless the elections are closed by then, and perhaps the client: it ends with its ttl. */
    private void release(HeldLock lock) {
        releases.run(
                () -> {
                    if (!elections.rounds.isShutdown()) {
                        OnLost.NOTIFY.afterReturn(lock);
                    }
                },
                lock);
    }

    private boolean stands() {
        return candidacy % 2 != 0;
    }

    private void rounds(int begun) {
        if (candidacy != begun) {
            return;
        }
        try {
            if (seeks()) {
                client.tryAcquireReserved(request)
                        .ifPresentOrElse(lock -> promoted((DetachableLock) lock), this::answered);
            }
        } catch (RuntimeException | Error e) {
            unknown(e);
        } finally {
            elections.after(role.interval(), () -> rounds(begun));
        }
    }

    /** Returns true if it is to try now: a leader has no need to, and one that has just left gives others a round. */
    private boolean seeks() {
        HeldLock lock = leadership;
        if (lock != null && !lock.isHeld()) {
            lost(lock); // though the notification is late, or was dropped
        }
        synchronized (this) {
            return leadership == null && mayLead();
        }
    }

    private boolean mayLead() {
        return stands() && System.nanoTime() - restsUntil >= 0;
    }

    private void promoted(DetachableLock lock) {
        lock.detach();
        boolean leads;
        synchronized (this) {
            leads = mayLead();
            if (leads) {
                term = lock.fencingToken();
                leadership = lock;
                unanswered = false;
                publish(Transition.PROMOTED);
            }
        }
        if (leads) {
            lock.onLost(event -> lost(lock));
        } else {
            OnLost.NOTIFY.afterReturn(lock);
        }
    }

    /** Not a round: those of other roles may be waiting for the database. */
    private synchronized void lost(HeldLock lock) {
        if (leadership == lock) {
            HeldLock unused = left(INTERVALS_AFTER_LOSS);
            release(lock);
        }
    }

    private synchronized void answered() {
        if (unanswered) {
            unanswered = false;
            publish(Transition.STAY);
        }
    }

    private void unknown(Throwable why) {
        synchronized (this) {
            if (unanswered || !stands()) {
                return;
            }
            unanswered = true;
            publish(Transition.UNKNOWN);
        }
        logger.warn(
                "Who leads as \"{}\" is unknown; asking again about every {}: {}",
                Printable.of(role.name()),
                role.interval(),
                why.getMessage());
        logger.debug("The round failed", why);
    }

    /** Ends the leadership, whatever comes of releasing the lock that is returned. */
    private @Nullable DetachableLock left(int intervalsOfRest) {
        DetachableLock lock = leadership;
        rest(intervalsOfRest);
        if (lock != null) {
            leadership = null;
            publish(Transition.LEAVE);
        }
        return lock;
    }

    private void publish(Transition transition) {
        LeadershipEvent event = new LeadershipEvent(role.name(), transition, term);
        announcements.run(() -> logger.debug("{}", event), event);
        announcements.run(() -> elections.events.accept(event), event);
    }

    @Override
    public String toString() {
        return "LeaderElection[%s, %s, term %d]"
                .formatted(Printable.of(role.name()), isLeader() ? "leads" : "does not lead", term);
    }
}
