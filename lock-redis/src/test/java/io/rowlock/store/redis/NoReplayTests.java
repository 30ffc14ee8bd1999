package io.rowlock.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import io.rowlock.LockMode;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.UncertainOutcomeException;
import io.rowlock.store.WaitQueue.QueuePosition;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Answers that never come: what was sent is carried out once, and what it brought is taken back. */
@OnRedis
class NoReplayTests {
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final RedisSettings SETTINGS = new RedisSettings(
            "rowlock:",
            Duration.ofMillis(500),
            Duration.ofSeconds(2),
            Duration.ofHours(1),
            Duration.ofSeconds(3),
            Duration.ofSeconds(1),
            0,
            Duration.ofSeconds(1));

    private final String key = "key-" + UUID.randomUUID();
    private final RedisServer server;
    private final TestRedis direct;
    private SwallowingProxy proxy;
    private TestRedis far;

    NoReplayTests(RedisServer server) {
        this.server = server;
        this.direct = new TestRedis(server);
    }

    @BeforeEach
    void open() throws Exception {
        proxy = new SwallowingProxy(server.port());
        far = new TestRedis(proxy.uri());
    }

    @AfterEach
    void close() throws Exception {
        far.close();
        direct.close();
        proxy.close();
    }

    private static LeaseRequest request(String key, long nonce) {
        return new LeaseRequest(key, LockMode.EXCLUSIVE, "owner", TTL, nonce, TTL, 0);
    }

    private static long nonce() {
        return UUID.randomUUID().getMostSignificantBits() & (1L << 52) - 1;
    }

    private String counted(boolean asForLocks) throws Exception {
        RedisClient client = RedisClient.create(proxy.uri());
        if (asForLocks) {
            LettuceOptions.apply(client, RedisSettings.DEFAULT);
        }
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            long before = proxy.swallowed();
            proxy.swallow();
            RedisFuture<Long> unused = connection.async().incr(key);
            await().until(() -> proxy.swallowed() > before);
            proxy.disconnect();
            await().until(() -> pings(connection));
            TimeUnit.MILLISECONDS.sleep(200); // a command that is sent again is sent before the ping, or with it
            return direct.commands().get(key);
        } finally {
            client.shutdown();
            direct.commands().del(key);
        }
    }

    private static boolean pings(StatefulRedisConnection<String, String> connection) throws Exception {
        try {
            return connection.async().ping().get(200, TimeUnit.MILLISECONDS).equals("PONG");
        } catch (ExecutionException | TimeoutException e) {
            return false;
        }
    }

    @Test
    void commandWithoutAnAnswerIsNotSentAgainThoughTheDriverUsuallyDoes() throws Exception {
        assertThat(counted(false)).as("with the driver's own options").isEqualTo("2");
        assertThat(counted(true)).isEqualTo("1");
    }

    @Test
    void leaseOfAnAttemptWithoutAnAnswerIsTakenBack() {
        RedisLockStore store = far.store(SETTINGS);
        LeaseRequest request = request(key, nonce());
        warm(store);
        proxy.swallow();
        assertThatExceptionOfType(UncertainOutcomeException.class).isThrownBy(() -> store.tryAcquire(request));
        proxy.disconnect();
        assertTakenBack(store, request);
    }

    /** Its lease is called after the place in the queue, and not after the attempt. */
    @Test
    void leaseOfAWaiterWithoutAnAnswerIsTakenBack() {
        RedisLockStore store = far.store(SETTINGS);
        QueuePosition ticket = store.queue().join(request(key, nonce())).orElseThrow();
        LeaseRequest request = request(key, nonce());
        warm(store);
        proxy.swallow();
        assertThatExceptionOfType(UncertainOutcomeException.class).isThrownBy(() -> ticket.tryAcquire(request));
        proxy.disconnect();
        assertTakenBack(store, request);
    }

    /** The server knows the script, and the store the server's time. */
    private static void warm(RedisLockStore store) {
        store.tryAcquire(request("warm-" + UUID.randomUUID(), nonce()));
    }

    private void assertTakenBack(RedisLockStore store, LeaseRequest request) {
        RedisLockStore near = direct.store();
        assertThat(near.inspection().orElseThrow().holders(key))
                .as("it was carried out")
                .hasSize(1);
        assertThat(store.abandon(request)).isTrue();
        assertThat(near.inspection().orElseThrow().holders(key)).isEmpty();
    }
}
