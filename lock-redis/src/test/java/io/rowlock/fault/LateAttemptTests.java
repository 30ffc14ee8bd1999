package io.rowlock.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lettuce.core.RedisClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.UncertainOutcomeException;
import io.rowlock.store.WaitQueue.QueuePosition;
import io.rowlock.store.redis.LettuceOptions;
import io.rowlock.store.redis.RedisLockStore;
import io.rowlock.store.redis.RedisSettings;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A waiter's last attempt that comes when its connection is gone, but not so late that the server drops it. */
@OnRedis
class LateAttemptTests {
    private static final String KEY = "late-attempt";
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(4);
    private static final RedisSettings SETTINGS = new RedisSettings(
            "rowlock:",
            COMMAND_TIMEOUT,
            COMMAND_TIMEOUT,
            TTL,
            Duration.ofSeconds(3),
            Duration.ofSeconds(1),
            0,
            Duration.ofSeconds(1));

    private long nonces = System.nanoTime();

    private LeaseRequest request(String owner) {
        return new LeaseRequest(KEY, LockMode.EXCLUSIVE, owner, TTL, nonces++, TTL, 0);
    }

    /** What a release has granted to its place in the queue was ended, and then the attempt comes and takes the key again. */
    @Test
    void leaseOfItsPlaceIsEndedAgainAfterTheLastAttemptHasCome(RedisServer server) throws Exception {
        ClientResources resources = LettuceOptions.resources(DefaultClientResources.create(), SETTINGS);
        FaultPlan plan = new FaultPlan(Map.of());
        try (RespProxy proxy = new RespProxy(server, plan, () -> {});
                RedisLockStore waiters =
                        RedisLockStore.standalone(RedisClient.create(resources, proxy.uri()), SETTINGS);
                RedisLockStore others =
                        RedisLockStore.standalone(RedisClient.create(resources, server.uri()), SETTINGS)) {
            Lease held = ((Attempt.Taken) others.tryAcquire(request("other"))).lease();
            proxy.begin();
            LeaseRequest first = request("waiter");
            LeaseRequest last = request("waiter");
            try (QueuePosition ticket = waiters.queue().join(first).orElseThrow()) {
                assertThat(ticket.tryAcquire(first)).isInstanceOf(Attempt.Busy.class);
                plan.given(Fault.REQUEST_LAST, RedisSetup.REDIS::takes);
                Thread hangingUp = new Thread(() -> {
                    Awaitility.await().until(() -> !plan.met().isEmpty());
                    plan.over();
                    proxy.hangUp();
                });
                hangingUp.start();
                assertThatExceptionOfType(UncertainOutcomeException.class).isThrownBy(() -> ticket.tryAcquire(last));
                hangingUp.join();
                assertThat(others.release(held)).isTrue(); // which grants the key to the waiter's place
                assertThat(others.tryAcquire(request("other"))).isInstanceOf(Attempt.Busy.class);

                boolean over = waiters.abandon(last);
                plan.deliverLast();
                Awaitility.await().until(() -> over || waiters.abandon(last));
            }
            assertThat(others.tryAcquire(request("other"))).isInstanceOf(Attempt.Taken.class);
        }
        var unused = resources.shutdown();
    }
}
