package io.rowlock.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.WaitQueue.QueuePosition;
import io.rowlock.test.redis.RedisServer;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Three processes and a key. */
abstract class QueueSetting {
    static final Duration TTL = Duration.ofSeconds(30);
    static final Duration LONG = Duration.ofSeconds(20);
    private static final AtomicLong NONCES = new AtomicLong(System.nanoTime() >>> 1);

    final String key = "key-" + UUID.randomUUID();
    final TestRedis redis;
    RedisLockStore holder;
    RedisLockStore first;
    RedisLockStore second;

    QueueSetting(RedisServer server) {
        redis = new TestRedis(server);
    }

    @BeforeEach
    void open() {
        holder = redis.store();
        first = redis.store();
        second = redis.store();
    }

    @AfterEach
    void close() {
        redis.close();
    }

    LeaseRequest request(LockMode mode, String owner) {
        return request(mode, owner, 0);
    }

    private LeaseRequest request(LockMode mode, String owner, int permits) {
        return new LeaseRequest(key, mode, owner, TTL, NONCES.incrementAndGet(), TTL, permits);
    }

    Attempt.Taken take(RedisLockStore at, LockMode mode, String owner) {
        return (Attempt.Taken) at.tryAcquire(request(mode, owner));
    }

    Attempt tryPermit(RedisLockStore at, String owner, int permits) {
        return at.tryAcquire(request(LockMode.PERMIT, owner, permits));
    }

    /** A waiter that has asked once and found the key taken. */
    final class Waiter {
        final QueuePosition ticket;
        private final LeaseRequest request;

        Waiter(RedisLockStore at, LockMode mode, String owner) {
            this(at, request(mode, owner));
        }

        /** For a permit. */
        Waiter(RedisLockStore at, String owner, int permits) {
            this(at, request(LockMode.PERMIT, owner, permits));
        }

        private Waiter(RedisLockStore at, LeaseRequest request) {
            this.request = request;
            ticket = at.queue().join(request).orElseThrow();
            assertThat(ask()).isInstanceOf(Attempt.Busy.class);
        }

        /** What its place is called. */
        long nonce() {
            return request.nonce();
        }

        Attempt ask() {
            return ticket.tryAcquire(request);
        }

        Attempt.Taken granted() throws InterruptedException {
            ticket.await(LONG);
            return (Attempt.Taken) ask();
        }
    }
}
