package io.rowlock.store.jdbc.lease;

import io.rowlock.LockStoreException;
import io.rowlock.store.Attempt;
import io.rowlock.store.DaemonThreads;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.UncertainOutcomeException;
import io.rowlock.store.jdbc.session.JdbcText;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.SqlFailure;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acquires and releases leases for several threads together. While one packet is under way the changes of other threads gather, and
 * the next packet carries them all: a packet costs one round trip and one commit, as a single change does. Nothing waits for
 * company: a change is sent at once if no packet is under way.
 *
 * <p>What a packet finds to have no gate yet, the same worker creates with one more statement, acquired.
 *
 * <p>There is a worker for each connection. A packet that takes long holds no others up: the next worker sends one then. A change
 * that no worker sends in time is for its thread to carry out by itself, and so is one that a packet leaves out, or whose packet
 * was rolled back. Thread-safe: {@code guard} guards what has gathered.
 */
final class LeasePackets implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LeasePackets.class);

    /** Up to that many changes at a time are quicker one by one: the server commits them together, too. */
    static final int FEW = 8;

    /** A packet that takes longer does not hold others up. */
    static final Duration LONG = Duration.ofMillis(5);

    /** A change waits for so many times what is long to be sent: where commits are slow, to send it alone would add a commit. */
    private static final int LONGEST_WAIT = 10;

    private static final int MOST_CHANGES = 64;

    private final LockDatabase database;
    private final LeasePacketSql sql;
    private final int few;
    private final int connections;
    private final long longNanos;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final ExecutorService workers;
    private final Refusals refusals = new Refusals();
    private volatile boolean closed;

    private final ReentrantLock guard = new ReentrantLock();
    private final Condition changed = guard.newCondition();
    private List<Change> gathered = new ArrayList<>();
    private boolean started;
    private int underWay;
    private long next = System.nanoTime();

    /**
     * @param database whose connections take several statements at once
     * @param prefix what the name of the lock table begins with
     * @param connections how many connections it has: as many packets can be under way
     * @param few up to how many changes at a time are carried out one by one
     * @param patience for how long a packet keeps others waiting
     */
    LeasePackets(LockDatabase database, TablePrefix prefix, int connections, int few, Duration patience) {
        this.database = database;
        this.sql = new LeasePacketSql(prefix);
        this.connections = connections;
        this.few = few;
        this.longNanos = patience.toNanos();
        this.workers = Executors.newFixedThreadPool(connections, DaemonThreads.numbered("rowlock-batch"));
    }

    /** Notes that a change begins, in whichever way. @return whether so many are carried out that it had better be in a packet */
    boolean enter() {
        return inFlight.incrementAndGet() > few && !closed && refusals.isInOrder();
    }

    /** Notes that a change which has entered is over. */
    void leave() {
        inFlight.decrementAndGet();
    }

    /**
     * Acquires a key together with other threads, if its last lease was released.
     *
     * @return empty if nothing was changed, and the thread is to try alone
     * @throws UncertainOutcomeException if it is not known whether it was acquired
     */
    Optional<Attempt> tryAcquire(LeaseRequest request) {
        return carryOut(Change.acquire(request))
                .map(gate -> ExclusiveAttempt.taken(request, gate.fence(), gate.shared(), Optional.empty()));
    }

    /**
     * Releases a lease together with other threads.
     *
     * @return whether others wait in the queue of its key; empty if nothing was changed, and the thread is to release it alone
     * @throws UncertainOutcomeException if it is not known whether it was released
     */
    Optional<Boolean> release(Lease lease) {
        return carryOut(Change.release(lease)).map(ChangedGate::waitedFor);
    }

    Optional<ChangedGate> carryOut(Change change) {
        return gather(change) ? await(change) : Optional.empty();
    }

    private boolean gather(Change change) {
        guard.lock();
        try {
            if (closed
                    || gathered.size() >= MOST_CHANGES
                    || gathered.stream().anyMatch(other -> other.key.equals(change.key))) {
                return false;
            }
            if (!started) {
                started = true;
                for (int i = 0; i < connections; i++) {
                    workers.execute(this::sendPackets);
                }
            }
            gathered.add(change);
            if (gathered.size() == 1) {
                changed.signal();
            }
            return true;
        } finally {
            guard.unlock();
        }
    }

    private Optional<ChangedGate> await(Change change) {
        try {
            return change.get(LONGEST_WAIT * longNanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            try {
                return withdrawn(change) ? Optional.empty() : outcome(change);
            } finally {
                Thread.currentThread().interrupt();
            }
        } catch (TimeoutException | ExecutionException e) {
            return withdrawn(change) ? Optional.empty() : outcome(change);
        }
    }

    /** @return whether it was not sent, and will not be */
    private boolean withdrawn(Change change) {
        guard.lock();
        try {
            return gathered.remove(change);
        } finally {
            guard.unlock();
        }
    }

    /** A packet ends within a query time-out. */
    private static Optional<ChangedGate> outcome(Change sent) {
        try {
            return sent.join();
        } catch (CompletionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new UncertainOutcomeException(String.valueOf(cause.getMessage()), cause);
        }
    }

    @Override
    public void close() {
        guard.lock();
        try {
            closed = true;
            workers.shutdownNow();
        } finally {
            guard.unlock();
        }
    }

    // ---- a worker

    private void sendPackets() {
        try {
            while (true) {
                List<Change> packet = nextPacket();
                try {
                    send(packet);
                } finally {
                    sent();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    /** Waits until something has gathered, and the packet before it has ended or taken long. */
    private List<Change> nextPacket() throws InterruptedException {
        guard.lockInterruptibly();
        try {
            while (gathered.isEmpty() || untilNext() > 0) {
                long unused = changed.awaitNanos(gathered.isEmpty() ? Long.MAX_VALUE : untilNext());
            }
            List<Change> packet = gathered;
            gathered = new ArrayList<>();
            underWay++;
            next = System.nanoTime() + longNanos;
            return packet;
        } finally {
            guard.unlock();
        }
    }

    private long untilNext() {
        return next - System.nanoTime();
    }

    private void sent() {
        guard.lock();
        try {
            underWay--;
            if (underWay == 0 || !gathered.isEmpty()) {
                next = System.nanoTime();
                changed.signal();
            }
        } finally {
            guard.unlock();
        }
    }

    private void send(List<Change> packet) {
        List<Change> missing = new ArrayList<>();
        if (isCarriedOut(packet, missing, session -> run(session, packet, missing)) && !missing.isEmpty()) {
            boolean unused = isCarriedOut(missing, List.of(), session -> create(session, missing));
        }
    }

    /** @param open those changes that the work leaves for what follows */
    private boolean isCarriedOut(
            List<Change> changes, List<Change> open, LockDatabase.Work<Map<String, ChangedGate>> work) {
        try {
            Map<String, ChangedGate> gates = database.callInTime(work);
            changes.stream()
                    .filter(change -> !open.contains(change))
                    .forEach(change -> change.complete(Optional.ofNullable(gates.get(change.key))));
            return true;
        } catch (UncertainOutcomeException e) {
            changes.forEach(change -> change.completeExceptionally(e));
        } catch (LockStoreException e) {
            log.debug("A packet of {} changes was rolled back, so they are carried out one by one", changes.size(), e);
            changes.forEach(change -> change.complete(Optional.empty()));
        } catch (RuntimeException | Error e) {
            changes.forEach(change -> change.completeExceptionally(e));
        }
        return false;
    }

    private Map<String, ChangedGate> run(Session session, List<Change> packet, List<Change> missing)
            throws SQLException {
        missing.clear();
        try {
            return change(session, packet, missing);
        } catch (SQLException e) {
            if (SqlFailure.of(e) == SqlFailure.NOT_UNDERSTOOD && refusals.refused()) {
                log.info(
                        "The server refuses several statements at once, so leases are acquired and released one by one: {}",
                        e.getMessage());
            }
            throw e;
        }
    }

    /**
     * Carries out the changes whose gates are as they need them.
     *
     * @param missing where requests for keys without a gate are added
     * @return these gates, by their keys
     */
    Map<String, ChangedGate> change(Session session, List<Change> changes, List<Change> missing) throws SQLException {
        try {
            return transact(session, changes, missing);
        } catch (SQLException e) {
            if (SqlFailure.of(e) != SqlFailure.ROW_LOCKED) {
                throw e;
            }
        }
        Set<String> unlocked = new HashSet<>(
                session.packet(sql.unlocked(changes), row -> row.getString(1)).rows());
        return transact(
                session,
                changes.stream().filter(change -> unlocked.contains(change.hex)).toList(),
                missing);
    }

    /** Creates the gates acquired, all or none. */
    private Map<String, ChangedGate> create(Session session, List<Change> missing) throws SQLException {
        Map<String, ChangedGate> created = new HashMap<>();
        addCreated(session, sql.create(missing), missing, created);
        return created;
    }

    private Map<String, ChangedGate> transact(Session session, List<Change> changes, List<Change> missing)
            throws SQLException {
        Map<String, ChangedGate> carriedOut = new HashMap<>();
        if (!changes.isEmpty()) {
            Map<String, GateBefore> before = new HashMap<>();
            int matched = session.packet(
                            sql.text(session.schema(), changes),
                            row -> before.put(row.getString(1), GateBefore.of(row)))
                    .matched();
            for (Change change : changes) {
                GateBefore gate = before.get(change.hex);
                if (gate != null && gate.fits(change)) {
                    carriedOut.put(change.key, gate.after(change));
                }
            }
            if (matched != carriedOut.size()) {
                addCreated(session, sql.gates(changes), changes, carriedOut);
            }
            changes.stream()
                    .filter(change -> change.request != null
                            && !before.containsKey(change.hex)
                            && !carriedOut.containsKey(change.key))
                    .forEach(missing::add);
        }
        return carriedOut;
    }

    /** Adds gates that did not exist yet when the packet looked, and were acquired all the same. */
    private void addCreated(
            Session session, String statement, List<Change> changes, Map<String, ChangedGate> carriedOut)
            throws SQLException {
        Map<String, GateAfter> after = new HashMap<>();
        session.packet(statement, row -> after.put(row.getString(1), GateAfter.of(row)));
        for (Change change : changes) {
            GateAfter gate = after.get(change.hex);
            if (gate != null && gate.isTakenBy(change)) {
                carriedOut.putIfAbsent(change.key, new ChangedGate(gate.fence(), gate.shared(), false));
            }
        }
    }

    /** A request for a key, or a lease that is to be released, of one thread; and what became of it: the gate, or empty. */
    static final class Change extends CompletableFuture<Optional<ChangedGate>> {
        final String key;
        final String hex;
        final @Nullable LeaseRequest request;
        final @Nullable Lease lease;

        private Change(String key, @Nullable LeaseRequest request, @Nullable Lease lease) {
            this.key = key;
            this.hex = HexFormat.of().withUpperCase().formatHex(JdbcText.key(key));
            this.request = request;
            this.lease = lease;
        }

        static Change acquire(LeaseRequest request) {
            return new Change(request.key(), request, null);
        }

        static Change release(Lease lease) {
            return new Change(lease.key(), null, lease);
        }
    }

    /** A gate as a packet found it, and locked it. */
    private record GateBefore(long fence, long nextFence, boolean shared, boolean released, boolean waitedFor) {
        static GateBefore of(ResultSet row) throws SQLException {
            return new GateBefore(
                    row.getLong(2), row.getLong(3), row.getBoolean(4), row.getBoolean(5), row.getBoolean(6));
        }

        boolean fits(Change change) {
            return change.lease == null ? released : !released && fence == change.lease.fence();
        }

        ChangedGate after(Change change) {
            return new ChangedGate(change.lease == null ? nextFence : fence, shared, waitedFor);
        }
    }

    /** A gate after a packet. */
    private record GateAfter(long fence, long nonce, boolean shared, boolean taken) {
        static GateAfter of(ResultSet row) throws SQLException {
            return new GateAfter(row.getLong(2), row.getLong(3), row.getBoolean(4), row.getBoolean(5));
        }

        boolean isTakenBy(Change change) {
            return change.request != null && taken && nonce == change.request.nonce();
        }
    }

    /**
     * A gate after a change.
     *
     * @param fence of the lease that was acquired, or released
     * @param shared whether the key has ever had readers
     * @param waitedFor whether others waited in the queue of a key that was released
     */
    record ChangedGate(long fence, boolean shared, boolean waitedFor) {}
}
