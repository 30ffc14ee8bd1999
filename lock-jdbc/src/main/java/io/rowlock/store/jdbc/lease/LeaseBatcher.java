package io.rowlock.store.jdbc.lease;

import io.rowlock.LockStoreException;
import io.rowlock.store.UncertainOutcomeException;
import io.rowlock.store.jdbc.LockDatabase;
import io.rowlock.store.jdbc.Session;
import io.rowlock.store.jdbc.SqlFailure;
import io.rowlock.store.jdbc.TablePrefix;
import io.rowlock.store.jdbc.Writers;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out the changes of several threads together. While one packet is under way the changes of other threads gather, and
 * the next packet carries them all: a packet costs one round trip and one commit, as a single change does. One of the threads
 * whose changes it carries sends it. Nothing waits for company: a change is sent at once if no packet is under way.
 *
 * <p>A change that a packet leaves out, or whose packet was rolled back, is for the thread to carry out by itself, and so is one that
 * would have to wait for long. Thread-safe.
 */
final class LeaseBatcher {
    private static final Logger log = LoggerFactory.getLogger(LeaseBatcher.class);

    /** Up to that many changes at a time are quicker one by one. */
    static final int FEW = 4;

    /** A packet that takes longer does not hold others up. */
    static final Duration LONG = Duration.ofMillis(5);

    private static final long OUT_OF_ORDER_NANOS = Duration.ofMinutes(1).toNanos();

    private final LockDatabase database;
    private final LeasePacketSql sql;
    private final int few;
    private final int mostPackets;
    private final long longNanos;
    private final AtomicInteger inFlight = new AtomicInteger();

    private final ReentrantLock guard = new ReentrantLock();
    private List<Change> gathered = new ArrayList<>();
    private int packets;
    private long lastSent;

    private volatile long outOfOrderSince;
    private volatile boolean outOfOrder;
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
        this.mostPackets = connections;
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
        List<Change> packet;
        guard.lock();
        try {
            if (gathered.size() >= LeasePacketSql.MOST_CHANGES || gathered.stream().anyMatch(change::hasKeyOf)) {
                return null;
            }
            gathered.add(change);
            packet = maySend() ? nextPacket() : List.of();
        } finally {
            guard.unlock();
        }
        if (packet.isEmpty()) {
            packet = await(change);
        }
        if (!packet.isEmpty()) {
            send(packet);
        }
        return change.result();
    }

    // ---- who sends; under the guard

    private boolean maySend() {
        return packets == 0 || (packets < mostPackets && untilLong() <= 0);
    }

    private long untilLong() {
        return lastSent + longNanos - System.nanoTime();
    }

    private List<Change> nextPacket() {
        packets++;
        lastSent = System.nanoTime();
        List<Change> packet = gathered;
        gathered = new ArrayList<>();
        packet.forEach(change -> change.stage = Stage.SENT);
        return packet;
    }

    // ---- waiting

    /** Waits until a change was carried out, or is to be by its thread. @return the packet the thread is to send; none if it is over */
    private List<Change> await(Change change) {
        boolean interrupted = false;
        try {
            while (change.stage != Stage.OVER) {
                if (change.stage == Stage.SENT) {
                    LockSupport.park(this);
                    interrupted |= Thread.interrupted();
                } else {
                    LockSupport.parkNanos(this, Math.max(1, untilLong()));
                    interrupted |= Thread.interrupted();
                    List<Change> packet = sendOrWithdraw(change, interrupted);
                    if (!packet.isEmpty()) {
                        return packet;
                    }
                }
            }
            return List.of();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private List<Change> sendOrWithdraw(Change change, boolean interrupted) {
        guard.lock();
        try {
            if (change.stage != Stage.GATHERED) {
                return List.of();
            }
            if (maySend()) {
                return nextPacket();
            }
            if (interrupted || untilLong() <= 0) {
                gathered.remove(change);
                change.stage = Stage.OVER;
            }
            return List.of();
        } finally {
            guard.unlock();
        }
    }

    // ---- sending

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
        } finally {
            sent(packet);
        }
    }

    private Map<String, ChangedGate> run(Session session, List<Change> packet) throws SQLException {
        Map<String, ChangedGate> gates = new HashMap<>();
        if (database.writers(session) == Writers.MANY) {
            unfit = true; // one conflict would roll back the changes of all
            return gates;
        }
        String text = sql.text(
                session.schema(), packet.stream().map(change -> change.wanted).toList());
        try {
            session.packet(text, row -> gates.put(row.getString(1), ChangedGate.of(row)));
            return gates;
        } catch (SQLException e) {
            if (SqlFailure.of(e) == SqlFailure.NOT_UNDERSTOOD) {
                refused(e);
            }
            throw e;
        }
    }

    /** The next packet is for the first of those who wait. */
    private void sent(List<Change> packet) {
        Change next;
        guard.lock();
        try {
            packets--;
            packet.forEach(change -> change.stage = Stage.OVER);
            next = gathered.isEmpty() ? null : gathered.get(0);
        } finally {
            guard.unlock();
        }
        if (next != null) {
            LockSupport.unpark(next.thread);
        }
        packet.forEach(change -> LockSupport.unpark(change.thread));
    }

    // ---- a server, or what is in front of it, that does not take packets

    private boolean isInOrder() {
        if (outOfOrder && System.nanoTime() - outOfOrderSince > OUT_OF_ORDER_NANOS) {
            outOfOrder = false;
        }
        return !outOfOrder && !unfit;
    }

    private void refused(SQLException why) {
        outOfOrderSince = System.nanoTime();
        outOfOrder = true;
        log.info("The server refuses several statements at once, so leases are taken and released one by one: {}", why.getMessage());
    }

    private enum Stage {
        GATHERED,
        SENT,
        OVER
    }

    /** A change and what became of it. The stage is written last, under the guard. */
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

    /**
     * A gate after a change.
     *
     * @param fence of the lease that was taken, or released
     * @param shared whether the key has ever had readers
     * @param waitedFor whether others wait in the queue of the key
     */
    record ChangedGate(long fence, boolean shared, boolean waitedFor) {
        static ChangedGate of(ResultSet row) throws SQLException {
            return new ChangedGate(row.getLong(2), row.getBoolean(3), row.getBoolean(4));
        }
    }
}
