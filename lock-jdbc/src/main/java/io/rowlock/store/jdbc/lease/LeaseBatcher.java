package io.rowlock.store.jdbc.lease;

import io.rowlock.LockStoreException;
import io.rowlock.store.DaemonThreads;
import io.rowlock.store.UncertainOutcomeException;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.Refusals;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.SqlFailure;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out the changes of several threads together. While one packet is under way the changes of other threads gather, and
 * the next packet carries them all: a packet costs one round trip and one commit, as a single change does. Nothing waits for
 * company: a change is sent at once if no packet is under way.
 *
 * <p>A packet that takes long holds no others up: the next one is sent on another connection. If all connections carry a
 * packet, a change waits for the next of them to end, which takes as long as packets take here: where commits are slow, to
 * send changes one by one would only add commits. If none ends for twice that time, a change is for its thread to carry
 * out by itself, and so is one that a packet leaves out, or whose packet was rolled back. Thread-safe.
 */
final class LeaseBatcher implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LeaseBatcher.class);

    /** Up to that many changes at a time are quicker one by one: the server commits them together, too. */
    static final int FEW = 8;

    /** A packet that takes longer does not hold others up. */
    static final Duration LONG = Duration.ofMillis(5);

    /** A change never waits longer for a packet to end than so many times what is long, however slow packets are. */
    private static final int LONGEST_WAIT = 10;

    private static final int MOST_CHANGES = 64;

    private final LockDatabase database;
    private final LeasePacketSql sql;
    private final int few;
    private final int mostSenders;
    private final long longNanos;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final ExecutorService workers = Executors.newCachedThreadPool(DaemonThreads.numbered("rowlock-batch"));

    private final ReentrantLock guard = new ReentrantLock();
    private List<Change> gathered = new ArrayList<>();
    private int senders;
    private long lastSent;
    private long usualNanos;

    private final Refusals refusals = new Refusals();
    private volatile boolean unfit;

    /**
     * @param database whose connections take several statements at once
     * @param prefix what the name of the lock table begins with
     * @param connections how many connections it has: as many packets can be under way
     * @param few up to how many changes at a time are carried out one by one
     * @param patience for how long a packet keeps others waiting
     */
    LeaseBatcher(LockDatabase database, TablePrefix prefix, int connections, int few, Duration patience) {
        this.database = database;
        this.sql = new LeasePacketSql(prefix);
        this.mostSenders = connections;
        this.few = few;
        this.longNanos = patience.toNanos();
    }

    /** A change begins, in whichever way. @return whether so many are carried out that it had better be {@link #tryChange} */
    boolean enter() {
        return inFlight.incrementAndGet() > few && isInOrder();
    }

    /** A change that has entered is over. */
    void leave() {
        inFlight.decrementAndGet();
    }

    /**
     * Carries out a change with those of other threads.
     *
     * @return the gate after it; null if nothing was changed, and the thread is to do it alone
     * @throws UncertainOutcomeException if it is not known whether it was carried out
     */
    @Nullable
    ChangedGate tryChange(LeaseChange wanted) {
        Change change = new Change(wanted);
        guard.lock();
        try {
            if (gathered.size() >= MOST_CHANGES || gathered.stream().anyMatch(change::hasKeyOf)) {
                return null;
            }
            gathered.add(change);
            haveSent();
        } finally {
            guard.unlock();
        }
        await(change);
        return change.result();
    }

    @Override
    public void close() {
        workers.shutdown();
    }

    // ---- the threads whose changes they are

    private void await(Change change) {
        boolean interrupted = false;
        while (change.stage != Stage.OVER) {
            if (change.stage == Stage.SENT) {
                LockSupport.park(this);
                interrupted |= Thread.interrupted();
            } else {
                LockSupport.parkNanos(this, untilNextLook());
                interrupted |= Thread.interrupted();
                haveSentOrWithdraw(change, interrupted);
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private long untilNextLook() {
        guard.lock();
        try {
            long wait = senders < mostSenders ? longNanos : patienceNanos();
            return unfit ? 1 : Math.max(1, lastSent + wait - System.nanoTime());
        } finally {
            guard.unlock();
        }
    }

    private void haveSentOrWithdraw(Change change, boolean interrupted) {
        guard.lock();
        try {
            boolean waits = change.stage == Stage.GATHERED;
            if (waits && !haveSent() && (interrupted || unfit || sinceLastSent() >= patienceNanos())) {
                gathered.remove(change);
                change.stage = Stage.OVER;
            }
        } finally {
            guard.unlock();
        }
    }

    // ---- who sends; under the guard

    /** Sees to it that what has gathered is sent, unless packets that are under way are to be waited for. @return whether it is sent */
    private boolean haveSent() {
        boolean maySend = senders == 0 || (senders < mostSenders && sinceLastSent() >= longNanos);
        if (!maySend) {
            return false;
        }
        try {
            senders++;
            lastSent = System.nanoTime();
            workers.execute(this::sendAll);
            return true;
        } catch (RejectedExecutionException e) {
            senders--;
            unfit = true;
            return false;
        }
    }

    private long sinceLastSent() {
        return System.nanoTime() - lastSent;
    }

    /** Twice the time that packets take here, within bounds. */
    private long patienceNanos() {
        return Math.max(longNanos, Math.min(2 * usualNanos, LONGEST_WAIT * longNanos));
    }

    // ---- the thread that sends

    private void sendAll() {
        for (List<Change> packet = nextPacket(); !packet.isEmpty(); packet = nextPacket()) {
            long sent = System.nanoTime();
            send(packet);
            took(System.nanoTime() - sent);
            over(packet);
        }
    }

    /** A moving average; one packet that hangs does not make all others wait for as long as they may. */
    private void took(long nanos) {
        guard.lock();
        try {
            long bounded = Math.min(nanos, LONGEST_WAIT * longNanos);
            usualNanos = usualNanos == 0 ? bounded : usualNanos + (bounded - usualNanos) / 8;
        } finally {
            guard.unlock();
        }
    }

    /** @return empty if there is nothing to be sent, and this thread is done */
    private List<Change> nextPacket() {
        guard.lock();
        try {
            if (gathered.isEmpty()) {
                senders--;
                return List.of();
            }
            lastSent = System.nanoTime();
            List<Change> packet = gathered;
            gathered = new ArrayList<>();
            packet.forEach(change -> change.stage = Stage.SENT);
            return packet;
        } finally {
            guard.unlock();
        }
    }

    private static void over(List<Change> packet) {
        for (Change change : packet) {
            change.stage = Stage.OVER;
            LockSupport.unpark(change.thread);
        }
    }

    private void send(List<Change> packet) {
        try {
            Map<String, ChangedGate> gates = database.callInTime(session -> run(session, packet));
            packet.forEach(change -> change.gate = gates.get(change.wanted.key()));
        } catch (UncertainOutcomeException e) {
            packet.forEach(change -> change.failure = e);
        } catch (LockStoreException e) {
            log.debug("A packet of {} changes was rolled back, so they are carried out one by one", packet.size(), e);
        } catch (RuntimeException | Error e) {
            packet.forEach(change -> change.failure = e);
        }
    }

    private Map<String, ChangedGate> run(Session session, List<Change> packet) throws SQLException {
        try {
            return change(session, packet.stream().map(change -> change.wanted).toList());
        } catch (SQLException e) {
            if (SqlFailure.of(e) == SqlFailure.NOT_UNDERSTOOD) {
                refused(e);
            }
            throw e;
        }
    }

    /** Carries out the changes whose gates are as they need them. @return these gates, by their keys */
    Map<String, ChangedGate> change(Session session, List<LeaseChange> changes) throws SQLException {
        try {
            return transact(session, changes);
        } catch (SQLException e) {
            if (SqlFailure.of(e) != SqlFailure.ROW_LOCKED) {
                throw e;
            }
        }
        return transact(session, withoutLocked(session, changes));
    }

    private List<LeaseChange> withoutLocked(Session session, List<LeaseChange> changes) throws SQLException {
        Set<String> unlocked = new HashSet<>(
                session.packet(sql.unlocked(changes), row -> row.getString(1)).rows());
        return changes.stream()
                .filter(change -> unlocked.contains(change.key()))
                .toList();
    }

    private Map<String, ChangedGate> transact(Session session, List<LeaseChange> changes) throws SQLException {
        Map<String, ChangedGate> changed = new HashMap<>();
        if (!changes.isEmpty()) {
            Map<String, GateBefore> before = new HashMap<>();
            int matched = session.packet(
                            sql.text(session.schema(), changes),
                            row -> before.put(row.getString(1), GateBefore.of(row)))
                    .matched();
            for (LeaseChange change : changes) {
                GateBefore gate = before.get(change.key());
                if (gate != null && gate.fits(change)) {
                    changed.put(change.key(), gate.after(change));
                }
            }
            if (matched != changed.size()) {
                addTaken(session, changes, changed);
            }
        }
        return changed;
    }

    /** Some gates did not exist yet when the packet looked, and were taken all the same. */
    private void addTaken(Session session, List<LeaseChange> changes, Map<String, ChangedGate> changed)
            throws SQLException {
        Map<String, GateAfter> after = new HashMap<>();
        session.packet(sql.gates(changes), row -> after.put(row.getString(1), GateAfter.of(row)));
        for (LeaseChange change : changes) {
            GateAfter gate = after.get(change.key());
            if (gate != null && gate.isTakenBy(change)) {
                changed.putIfAbsent(change.key(), new ChangedGate(gate.fence(), gate.shared(), false));
            }
        }
    }

    // ---- a server, or what is in front of it, that does not take packets

    private boolean isInOrder() {
        return !unfit && refusals.isInOrder();
    }

    private void refused(SQLException why) {
        if (refusals.refused()) {
            log.info(
                    "The server refuses several statements at once, so leases are taken and released one by one: {}",
                    why.getMessage());
        }
    }

    private enum Stage {
        GATHERED,
        SENT,
        OVER
    }

    /** A change and what became of it. The stage is written last. */
    private static final class Change {
        private final LeaseChange wanted;
        private final Thread thread = Thread.currentThread();
        private volatile Stage stage = Stage.GATHERED;
        private @Nullable ChangedGate gate;
        private @Nullable Throwable failure;

        Change(LeaseChange wanted) {
            this.wanted = wanted;
        }

        boolean hasKeyOf(Change other) {
            return wanted.key().equals(other.wanted.key());
        }

        @Nullable
        ChangedGate result() {
            if (failure != null) {
                throw new UncertainOutcomeException(String.valueOf(failure.getMessage()), failure);
            }
            return gate;
        }
    }

    /** A gate as a packet found it, and locked it. */
    private record GateBefore(long fence, long nextFence, boolean shared, boolean released, boolean waitedFor) {
        static GateBefore of(ResultSet row) throws SQLException {
            return new GateBefore(
                    row.getLong(2), row.getLong(3), row.getBoolean(4), row.getBoolean(5), row.getBoolean(6));
        }

        boolean fits(LeaseChange change) {
            return change.takes() ? released : !released && fence == change.fence();
        }

        ChangedGate after(LeaseChange change) {
            return new ChangedGate(change.takes() ? nextFence : fence, shared, waitedFor);
        }
    }

    /** A gate after a packet. */
    private record GateAfter(long fence, long nonce, boolean shared, boolean taken) {
        static GateAfter of(ResultSet row) throws SQLException {
            return new GateAfter(row.getLong(2), row.getLong(3), row.getBoolean(4), row.getBoolean(5));
        }

        boolean isTakenBy(LeaseChange change) {
            return change.takes() && taken && nonce == change.nonce();
        }
    }

    /**
     * A gate after a change.
     *
     * @param fence of the lease that was taken, or released
     * @param shared whether the key has ever had readers
     * @param waitedFor whether others waited in the queue of a key that was released
     */
    record ChangedGate(long fence, boolean shared, boolean waitedFor) {}
}
