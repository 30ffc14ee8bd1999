package io.rowlock.store.redis;

import io.rowlock.store.Attempt;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.WaitQueue.QueuePosition;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A place in the queue of one key. To ask for the key is to queue for it. The script that releases the key grants it to the first
 * of the queue, for a short time, and sends a message; a waiter that has died loses it again with that time.
 *
 * <p>Thread-safe, because messages come on another thread: {@code this} guards the fields.
 */
final class RedisPosition implements QueuePosition {
    private final RedisAttempts attempts;
    private final String key;

    /** The name of the place, and of the lease that is granted to it. */
    private long nonce;

    /** True once it was asked, so that there may be a place in the queue; {@code granted} once the key was granted. */
    private boolean asked;

    private boolean granted;

    /** When the last question was sent that found the key held, and the server's time of the answer. */
    private long askedAt;

    private long heldAt = Long.MAX_VALUE;
    private boolean woken;
    private @Nullable Message message;

    /** @param request whose nonce becomes the name of the place */
    RedisPosition(RedisAttempts attempts, LeaseRequest request) {
        this.attempts = attempts;
        this.key = request.key();
        this.nonce = request.nonce();
        attempts.inbox.tickets.put(nonce, this);
    }

    /** A message has come for it. */
    synchronized void deliver(Message arrived) {
        if (message == null || message.time() < arrived.time()) {
            message = arrived;
        }
        notifyAll();
    }

    /** Wakes the waiter, so that it asks. */
    synchronized void wake() {
        woken = true;
        notifyAll();
    }

    @Override
    public synchronized void await(Duration atMost) throws InterruptedException {
        long now = System.nanoTime();
        long end = now + Math.min(atMost.toNanos(), askedAt + attempts.inbox.heartbeat - now);
        long left = end - now;
        while (asked && !woken && !isGranted() && left > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, Math.max(left, 1_000_000));
            left = end - System.nanoTime();
        }
        woken = false;
    }

    /** A message from before the last answer that found the key held is of a lease that has ended since. */
    private boolean isGranted() {
        return message != null && message.time() >= heldAt;
    }

    @Override
    public Attempt tryAcquire(LeaseRequest request) {
        leaveLease(request);
        Attempt.Taken announced = announced(request);
        if (announced != null) {
            return announced;
        }
        boolean again;
        long place;
        synchronized (this) {
            again = asked;
            asked = true;
            place = nonce;
            message = null; // what it has granted is in the answer, unless it has ended
        }
        if (again) {
            attempts.inbox.check();
        }
        long sent = System.nanoTime();
        RedisAttempts.Outcome outcome = attempts.queueUp(request, place);
        synchronized (this) {
            granted = outcome.attempt() instanceof Attempt.Taken;
            askedAt = sent;
            heldAt = outcome.time();
        }
        return outcome.attempt();
    }

    /** A lease that came too late is of no use to the waiter, which releases it. It must get another one, not that one again. */
    private synchronized void leaveLease(LeaseRequest request) {
        if (!granted) {
            return;
        }
        attempts.inbox.tickets.remove(nonce);
        nonce = request.nonce();
        attempts.inbox.tickets.put(nonce, this);
        granted = false;
        message = null;
        heldAt = Long.MAX_VALUE;
    }

    /**
     * What a message has granted, unless so much of the promise has passed that to ask is better. It was granted after the last
     * question was sent, since that found the key held.
     */
    private synchronized Attempt.@Nullable Taken announced(LeaseRequest request) {
        if (message == null || !isGranted() || attempts.replication.isRequired()) {
            return null;
        }
        Duration promise = attempts.promise(request);
        Duration left = promise.minusNanos(System.nanoTime() - askedAt);
        if (left.compareTo(promise.dividedBy(2)) < 0) {
            return null;
        }
        granted = true;
        return RedisAttempts.granted(request, nonce, message, left);
    }

    @Override
    public void close() {
        boolean leave;
        long place;
        synchronized (this) {
            leave = asked && !granted;
            place = nonce;
        }
        attempts.inbox.tickets.remove(place);
        if (leave) {
            attempts.leave(key, place);
        }
    }
}
