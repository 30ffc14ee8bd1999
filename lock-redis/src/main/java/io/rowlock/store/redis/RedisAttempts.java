package io.rowlock.store.redis;

import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore.ExpiredLease;
import io.rowlock.store.WaitQueue;
import io.rowlock.store.inspection.StoreInspection.Holder;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acquires leases, queues for them, and revokes what an attempt without an answer may have acquired. To queue costs no call: the
 * first attempt does it. Thread-safe.
 */
final class RedisAttempts implements WaitQueue {
    private static final Logger log = LoggerFactory.getLogger(RedisAttempts.class);
    /** Of more than that it is not remembered until when they can be carried out. */
    private static final int MOST_UNANSWERED = 2_000;

    /** The time that a waiter whose own is over waits until it has left the queue. */
    private static final Duration LONGEST_LEAVE = Duration.ofSeconds(1);

    /** The place in an answer of {@link Script#LOOK} of how many wait. */
    private static final int WAITING = 7;

    private final RedisScripts scripts;
    final Replication replication;
    final Inbox inbox;

    /** By the nonces of their requests. */
    private final Map<Long, Unanswered> unanswered = Collections.synchronizedMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Unanswered> eldest) {
            return size() > MOST_UNANSWERED;
        }
    });

    RedisAttempts(RedisScripts scripts, Replication replication, Inbox inbox) {
        this.scripts = scripts;
        this.replication = replication;
        this.inbox = inbox;
    }

    /**
     * What an attempt came to.
     *
     * @param time the server's time in microseconds
     */
    record Outcome(Attempt attempt, long time) {}

    /**
     * An attempt without an answer.
     *
     * @param nonce what its lease is called
     * @param notAfter the server's time in microseconds after which it is not carried out
     */
    private record Unanswered(long nonce, long notAfter) {}

    static long micros(Duration duration) {
        return duration.toNanos() / 1_000;
    }

    static Duration ofMicros(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }

    static String mode(LockMode mode) {
        return switch (mode) {
            case EXCLUSIVE -> "x";
            case SHARED -> "s";
            case PERMIT -> "p";
        };
    }

    /** Returns how long a lease lasts that is granted while its waiter does not ask. */
    Duration promise(LeaseRequest request) {
        return shorter(request.ttl(), scripts.settings.promise());
    }

    static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    // ---- acquiring

    Attempt tryOnce(LeaseRequest request) {
        return acquire(request, request.nonce(), Duration.ZERO).attempt();
    }

    /** Acquires a key, or queues for it at a place of that name. */
    Outcome queueUp(LeaseRequest request, long place) {
        return acquire(request, place, scripts.settings.alive());
    }

    private Outcome acquire(LeaseRequest request, long nonce, Duration alive) {
        RedisScripts.Call call = RedisScripts.Call.inTime(
                Script.ACQUIRE,
                request.key(),
                mode(request.mode()),
                request.owner(),
                micros(request.ttl()),
                micros(promise(request)),
                inbox.channel(),
                micros(alive),
                request.permits(),
                nonce);
        try {
            Answer answer = replication.acquire(call, () -> RedisScripts.Call.of(Script.LEAVE, request.key(), nonce));
            return new Outcome(attempt(request, nonce, answer), answer.time());
        } catch (UnansweredException e) {
            unanswered.put(request.nonce(), new Unanswered(nonce, e.notAfter));
            throw e;
        }
    }

    private static Attempt attempt(LeaseRequest request, long nonce, Answer answer) {
        if (answer.status().equals("B")) {
            return new Attempt.Busy(
                    answer.text(2).isEmpty()
                            ? Optional.empty()
                            : Optional.of(new Holder(answer.text(2), ofMicros(answer.number(3)))));
        }
        Lease lease = lease(request, nonce, answer.number(2));
        return outcome(lease, answer.isTrue(3), former(request.key(), answer.text(4)), Optional.empty());
    }

    /** Returns the grant that a message has brought to a waiter, which has it for that long still. */
    static Attempt.Taken granted(LeaseRequest request, long nonce, Message message, Duration left) {
        return outcome(
                lease(request, nonce, message.token()),
                message.draining(),
                former(request.key(), message.former()),
                Optional.of(left));
    }

    private static Lease lease(LeaseRequest request, long nonce, long token) {
        long slot = request.mode() == LockMode.EXCLUSIVE ? 0 : nonce;
        return new Lease(request.key(), request.mode(), slot, token, request.owner());
    }

    private static Attempt.Taken outcome(
            Lease lease, boolean draining, Optional<ExpiredLease> former, Optional<Duration> promise) {
        return draining ? new Attempt.Draining(lease, former, promise) : new Attempt.Granted(lease, former, promise);
    }

    /** An expired lease or permit: mode, nonce, token, since, until and owner. */
    private static Optional<ExpiredLease> former(String key, String text) {
        if (text.isEmpty()) {
            return Optional.empty();
        }
        String[] parts = text.split(" ", 6);
        LockMode mode = parts[0].equals("x") ? LockMode.EXCLUSIVE : LockMode.PERMIT;
        Lease lease = new Lease(key, mode, Long.parseLong(parts[1]), Long.parseLong(parts[2]), parts[5]);
        return Optional.of(new ExpiredLease(lease, ofMicros(Long.parseLong(parts[4]) - Long.parseLong(parts[3]))));
    }

    // ---- queueing

    @Override
    public Optional<QueuePosition> join(LeaseRequest request) {
        return Optional.of(new RedisPosition(this, request));
    }

    /** A script that queues acquires a free key at once. */
    @Override
    public boolean isContended(String key) {
        return true;
    }

    @Override
    public boolean isWaitedFor(Lease lease) {
        return scripts.run(RedisScripts.Call.of(Script.LOOK, lease.key())).number(WAITING) > 0;
    }

    // ---- revoking

    /**
     * What has the name of an earlier attempt, as a place in the queue has, may have got its lease from a release: that it was ended
     * does not say that this attempt was carried out.
     *
     * @see io.rowlock.store.LockStore#abandon
     */
    boolean abandon(LeaseRequest request) {
        Unanswered attempt = unanswered.get(request.nonce());
        long nonce = attempt == null ? request.nonce() : attempt.nonce();
        Answer answer = scripts.run(RedisScripts.Call.of(Script.LEAVE, request.key(), nonce));
        boolean carriedOut = answer.isTrue(2) && nonce == request.nonce();
        boolean over = carriedOut || (attempt != null && answer.time() > attempt.notAfter());
        if (over) {
            unanswered.remove(request.nonce());
        }
        return over;
    }

    /**
     * Gives a place up, so that the next release does not grant the key to it. A server that does not answer at once passes the
     * place over soon.
     */
    void leave(String key, long place) {
        try {
            Answer unused =
                    scripts.send(RedisScripts.Call.of(Script.LEAVE, key, place)).answer(LONGEST_LEAVE, Duration.ZERO);
        } catch (LockStoreException e) {
            log.debug("A place in the queue for \"{}\" was not given up", Printable.of(key), e);
        }
    }
}
