package io.rowlock.client.lock;

import io.rowlock.LockStoreException;
import io.rowlock.client.request.Handoff;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.store.Backoff;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** The queues of all keys this process uses at the moment; a queue that no thread uses is removed. Thread-safe. */
final class KeyQueues {
    private static final Duration PAUSE = Duration.ofMillis(1);

    private final Handoff handoff;
    final ConcurrentMap<ResolvedRequest.Id, KeyQueue> queues = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, StoreHealth> health = new ConcurrentHashMap<>();
    private final InFlightThreads inFlight;

    /** @param inFlight knows whether threads are admitted */
    public KeyQueues(Handoff handoff, InFlightThreads inFlight) {
        this.handoff = handoff;
        this.inFlight = inFlight;
    }

    /** @return the queue of a key, in use until {@link #leave} */
    public KeyQueue use(ResolvedRequest.Id id) {
        StoreHealth ofStore = health.computeIfAbsent(id.strategy(), strategy -> new StoreHealth());
        return queues.compute(id, (key, present) -> {
            KeyQueue queue = present == null ? new KeyQueue(handoff, ofStore, inFlight) : present;
            queue.users++;
            return queue;
        });
    }

    /** Rejects all waiters, as {@link InFlightThreads#drain} will have it. */
    public void rejectWaiters() {
        queues.values().forEach(KeyQueue::rejectWaiters);
    }

    /** Returns how many threads wait for a key. */
    public int waiting(ResolvedRequest.Id id) {
        KeyQueue queue = queues.get(id);
        return queue == null ? 0 : queue.waiting();
    }

    /** Returns how many threads wait for any key. */
    public int waiting() {
        return queues.values().stream().mapToInt(KeyQueue::waiting).sum();
    }

    /** Waits until no other thread asks a store any more. @return false if one still did when the time was over */
    boolean awaitEnd(Duration atMost) {
        long end = System.nanoTime() + atMost.toNanos();
        while (isAnyAsked() && end - System.nanoTime() > 0) {
            Backoff.pauseUninterrupted(PAUSE);
        }
        return !isAnyAsked();
    }

    private boolean isAnyAsked() {
        return queues.values().stream().anyMatch(KeyQueue::isAskedByAnother);
    }

    public void leave(ResolvedRequest.Id id) {
        queues.computeIfPresent(id, (key, queue) -> --queue.users == 0 ? null : queue);
    }

    /**
     * Judges if a store that grants nothing is busy or down, by the answers to all that it is asked. Thread-safe; times are readings of
     * {@link System#nanoTime}.
     */
    static final class StoreHealth {
        /** A healthy server answers within this, even if the statement waits for a row lock until its time-out. */
        private static final long SILENCE = Duration.ofSeconds(2).toNanos();

        /** When the first question since the last answer was sent, or null if there is none. */
        private volatile @Nullable Long askedAt;

        private volatile @Nullable LockStoreException failure;

        /** Notes that a question is sent. */
        public void asked(long now) {
            if (askedAt == null) {
                askedAt = now;
            }
        }

        /** Notes an answer to any question, refusals included. */
        public void answered() {
            if (askedAt != null) {
                askedAt = null;
            }
            if (failure != null) {
                failure = null;
            }
        }

        /** Notes that a question could not be sent, or got no answer. */
        public void failed(LockStoreException reason) {
            failure = reason;
        }

        /**
         * Returns why the store is down: it failed, or was silent for too long, and has answered nothing since. Null if it is up, as far as
         * is known. The keys of one that is down must not be called busy.
         */
        @Nullable
        LockStoreException outage(long now) {
            LockStoreException reason = failure;
            Long first = askedAt;
            return reason == null && first != null && now - first > SILENCE
                    ? new LockStoreException("No question was answered for more than 2 s", null)
                    : reason;
        }
    }
}
