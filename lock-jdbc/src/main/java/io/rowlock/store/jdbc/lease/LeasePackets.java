package io.rowlock.store.jdbc.lease;

import io.rowlock.LockStoreException;
import io.rowlock.store.Attempt;
import io.rowlock.store.DaemonThreads;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.UncertainOutcomeException;
import io.rowlock.store.jdbc.lease.LeasePacket.Change;
import io.rowlock.store.jdbc.lease.LeasePacket.ChangedGate;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.SqlFailure;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.jdbc.session.TablePrefix.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acquires and releases leases for several threads together. While one packet is under way the changes of other threads gather, and
 * the next packet carries them all: a packet costs one round trip and one commit, as a single change does. Nothing waits for
 * company: a change is sent at once if no packet is under way.
 *
 * <p>What a packet finds to have no gate yet, the same thread creates with one more statement, acquired.
 *
 * <p>As many packets as there are connections can be under way. One that takes long holds no others up: the next is sent then. A change
 * that is not sent in time is for its thread to carry out by itself, and so is one that a packet leaves out, or whose packet
 * was rolled back. Thread-safe: {@code this} guards what has gathered.
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

    /** A packet waits twice at most for a connection, and for answers, each for about a query time-out. It is given up after so many. */
    private static final int LONGEST_PACKET = 6;

    private final LockDatabase database;
    private final LeasePacket packet;
    private final int few;
    private final long longNanos;
    private final LongSupplier nanoTime;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final ExecutorService workers;
    private final Refusals refusals = new Refusals();

    private List<Change> gathered = new ArrayList<>();
    private int underWay;
    private long next;

    /**
     * @param database whose connections accept several statements at once
     * @param prefix what the name of the lock table begins with
     * @param connections how many connections it has: as many packets can be under way
     * @param few up to how many changes at a time are carried out one by one
     * @param patience for how long a packet keeps others waiting
     * @param nanoTime measures that
     */
    LeasePackets(
            LockDatabase database,
            TablePrefix prefix,
            int connections,
            int few,
            Duration patience,
            LongSupplier nanoTime) {
        this.database = database;
        this.packet = new LeasePacket(new LeasePacketSql(prefix.of(Table.LOCK)));
        this.nanoTime = nanoTime;
        this.few = few;
        this.longNanos = patience.toNanos();
        this.next = nanoTime.getAsLong();
        this.workers = Executors.newFixedThreadPool(connections, DaemonThreads.numbered("rowlock-batch"));
    }

    /** Notes that a change begins, in whichever way. @return whether so many are carried out that it had better be in a packet */
    boolean enter() {
        return inFlight.incrementAndGet() > few && !workers.isShutdown() && refusals.isInOrder();
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
                .map(gate -> ExclusiveAttempt.granted(request, gate.fence(), gate.shared(), Optional.empty()));
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

    private synchronized boolean gather(Change change) {
        if (workers.isShutdown()
                || gathered.size() >= MOST_CHANGES
                || gathered.stream().anyMatch(other -> other.key.equals(change.key))) {
            return false;
        }
        try {
            if (gathered.isEmpty()) {
                workers.execute(this::sendPackets);
            }
        } catch (OutOfMemoryError e) { // there is no memory for a thread
            return false;
        }
        gathered.add(change);
        return true;
    }

    private Optional<ChangedGate> await(Change change) {
        try {
            return change.get(LONGEST_WAIT * longNanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            try {
                return withdrawnOrSent(change);
            } finally {
                Thread.currentThread().interrupt();
            }
        } catch (TimeoutException | ExecutionException e) {
            return withdrawnOrSent(change);
        }
    }

    /** A change that was not sent will not be. One that was has its answer in time, unless the worker of its packet hangs or failed without a word. */
    private Optional<ChangedGate> withdrawnOrSent(Change change) {
        synchronized (this) {
            if (gathered.remove(change)) {
                return Optional.empty();
            }
        }
        try {
            return change.orTimeout(LONGEST_PACKET * database.queryTimeout().toSeconds(), TimeUnit.SECONDS)
                    .join();
        } catch (CompletionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new UncertainOutcomeException(String.valueOf(cause.getMessage()), cause);
        }
    }

    @Override
    public synchronized void close() {
        workers.shutdownNow();
    }

    // ---- a worker

    /** Goes on with what has gathered meanwhile: another thread would have to wake up first. */
    private void sendPackets() {
        try {
            for (List<Change> changes = nextPacket(); !changes.isEmpty(); changes = nextPacket()) {
                try {
                    send(changes);
                } finally {
                    sent();
                }
            }
        } catch (InterruptedException e) {
            // closed
        }
    }

    /** Waits until the packet before it has ended or taken long. Returns what has gathered; nothing if another thread sends it. */
    private synchronized List<Change> nextPacket() throws InterruptedException {
        while (!gathered.isEmpty() && untilNext() > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, untilNext());
        }
        if (gathered.isEmpty()) {
            return List.of();
        }
        List<Change> changes = gathered;
        gathered = new ArrayList<>();
        underWay++;
        next = nanoTime.getAsLong() + longNanos;
        return changes;
    }

    private long untilNext() {
        return next - nanoTime.getAsLong();
    }

    private synchronized void sent() {
        underWay--;
        if (underWay == 0 || !gathered.isEmpty()) {
            next = nanoTime.getAsLong();
            notify();
        }
    }

    private void send(List<Change> changes) {
        List<Change> withoutGate = completed(changes, session -> packet.change(session, changes));
        if (!withoutGate.isEmpty()) {
            List<Change> unused = completed(withoutGate, session -> packet.create(session, withoutGate));
        }
    }

    /** @return those changes that the work leaves for what follows */
    private List<Change> completed(List<Change> changes, LockDatabase.Work<Map<Change, Optional<ChangedGate>>> work) {
        try {
            Map<Change, Optional<ChangedGate>> outcome = database.callInTime(work);
            outcome.forEach(CompletableFuture::complete);
            return changes.stream()
                    .filter(change -> !outcome.containsKey(change))
                    .toList();
        } catch (UncertainOutcomeException e) {
            changes.forEach(change -> change.completeExceptionally(e));
        } catch (LockStoreException e) {
            rolledBack(changes, e);
        } catch (RuntimeException | Error e) {
            changes.forEach(change -> change.completeExceptionally(e));
        }
        return List.of();
    }

    private void rolledBack(List<Change> changes, LockStoreException why) {
        boolean news = SqlFailure.NOT_UNDERSTOOD.caused(why) && refusals.refused();
        changes.forEach(change -> change.complete(Optional.empty())); // before the log: threads wait for them
        if (news) {
            log.info(
                    "The server refuses several statements at once, so leases are acquired and released one by one: {}",
                    why.getMessage());
        }
        log.debug("A packet of {} changes was rolled back, so they are carried out one by one", changes.size(), why);
    }
}
