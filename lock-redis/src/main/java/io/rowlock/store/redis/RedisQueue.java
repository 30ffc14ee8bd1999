package io.rowlock.store.redis;

import io.rowlock.store.Backoff;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.WaitQueue;
import io.rowlock.store.WaitQueue.QueuePosition;
import java.time.Duration;
import java.util.Optional;

/** The queues of the processes, one for each key, in Redis. To queue costs no call: the first attempt does it. Thread-safe. */
final class RedisQueue implements WaitQueue {
    private static final int WAITING = 7;

    private final RedisAttempts attempts;
    private final RedisScripts scripts;
    private final Inbox inbox;
    private final Duration heartbeat;

    RedisQueue(RedisAttempts attempts, RedisScripts scripts, Inbox inbox, Duration heartbeat) {
        this.attempts = attempts;
        this.scripts = scripts;
        this.inbox = inbox;
        this.heartbeat = heartbeat;
    }

    @Override
    public Optional<QueuePosition> join(LeaseRequest request) {
        return Optional.of(new RedisPosition(attempts, inbox, heartbeat, request));
    }

    /** A script that queues takes a free key at once. */
    @Override
    public boolean isContended(String key) {
        return true;
    }

    @Override
    public boolean isWaitedFor(Lease lease) {
        return scripts.run(RedisScripts.Call.of(Script.LOOK, lease.key())).number(WAITING) > 0;
    }

    @Override
    public void awaitDrained(Lease lease, Backoff backoff, Duration atMost) throws InterruptedException {
        if (!inbox.awaitDrained(lease, atMost.compareTo(heartbeat) < 0 ? atMost : heartbeat)) {
            backoff.pause(atMost);
        }
    }

    @Override
    public void forget(Lease lease) {
        inbox.drained(lease);
    }
}
