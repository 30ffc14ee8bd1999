package io.rowlock.client;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.store.Attempt;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.WaitQueue;
import io.rowlock.store.WaitQueue.QueuePosition;
import io.rowlock.store.redis.LettuceOptions;
import io.rowlock.store.redis.RedisLockStore;
import io.rowlock.store.redis.RedisSettings;
import io.rowlock.stress.PositionWith;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whole clients. One waiter stands still, after it has queued, until what a release has promised it has run out. */
@OnRedis
class StalledWaiterTests {
    private static final RedisSettings SETTINGS = new RedisSettings(
            "stalled:",
            RedisSettings.DEFAULT.commandTimeout(),
            RedisSettings.DEFAULT.connectTimeout(),
            RedisSettings.DEFAULT.keepIdle(),
            Duration.ofMillis(400),
            Duration.ofMillis(200),
            0,
            Duration.ofSeconds(1));

    private final ClientResources resources = LettuceOptions.resources(DefaultClientResources.create(), SETTINGS);
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final CountDownLatch queued = new CountDownLatch(1);
    private final CountDownLatch promised = new CountDownLatch(1);
    private final RedisServer server;

    StalledWaiterTests(RedisServer server) {
        this.server = server;
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
        var unused = resources.shutdown();
    }

    private RowlockClient client(String owner, boolean stalled) {
        RedisClient redis = RedisClient.create(resources, server.uri());
        LockStore store = RedisLockStore.standalone(redis, SETTINGS);
        RowlockClient client = RowlockClient.builder(stalled ? stalledAfterItsFirstQuestion(store) : store)
                .strategy(RedisLockStore.NAME)
                .ttl(ofSeconds(30))
                .owner(owner)
                .build();
        opened.add(client);
        opened.add(store);
        opened.add(redis::shutdown);
        return client;
    }

    private LockStore stalledAfterItsFirstQuestion(LockStore store) {
        return (LockStore) Proxy.newProxyInstance(
                LockStore.class.getClassLoader(), new Class<?>[] {LockStore.class}, (proxy, method, arguments) -> {
                    try {
                        Object answer = method.invoke(store, arguments);
                        return answer instanceof WaitQueue queue ? stalled(queue) : answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private Object stalled(WaitQueue queue) {
        return Proxy.newProxyInstance(
                WaitQueue.class.getClassLoader(), new Class<?>[] {WaitQueue.class}, (proxy, method, arguments) -> {
                    try {
                        Object answer = method.invoke(queue, arguments);
                        return answer instanceof Optional<?> place
                                ? place.map(each -> new PositionWith((QueuePosition) each, this::askAndStandStill))
                                : answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private Attempt askAndStandStill(LeaseRequest request, QueuePosition place) {
        Attempt answer = place.tryAcquire(request);
        if (queued.getCount() > 0) {
            queued.countDown();
            awaitUninterrupted(promised);
            LockSupport.parkNanos(SETTINGS.promise().toNanos() * 3 / 2);
        }
        return answer;
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void twoPermitsOfOneAreNotGrantedNorAWriterBesideOne() throws Exception {
        LockRequest one = LockRequest.permit("k", 1);
        HeldLock former = client("former", false).acquire(one);
        RowlockClient slow = client("slow", true);
        CompletableFuture<HeldLock> waiter =
                CompletableFuture.supplyAsync(() -> slow.acquire(one.withWaitTime(ofSeconds(30))));
        awaitUninterrupted(queued);
        former.close();
        promised.countDown();
        HeldLock permit = waiter.get(60, TimeUnit.SECONDS);
        assertThat(client("second", false).tryAcquire(one.withWaitTime(Duration.ZERO)))
                .isEmpty();
        assertThat(client("writer", false).tryAcquire(LockRequest.exclusive("k").withWaitTime(Duration.ZERO)))
                .isEmpty();
        assertThat(permit.isHeld()).isTrue();
    }

    @Test
    void twoWritersAreNotGranted() throws Exception {
        LockRequest writer = LockRequest.exclusive("k");
        HeldLock former = client("former", false).acquire(writer);
        RowlockClient slow = client("slow", true);
        CompletableFuture<HeldLock> waiter =
                CompletableFuture.supplyAsync(() -> slow.acquire(writer.withWaitTime(ofSeconds(30))));
        awaitUninterrupted(queued);
        former.close();
        promised.countDown();
        HeldLock lock = waiter.get(60, TimeUnit.SECONDS);
        assertThat(client("second", false).tryAcquire(writer.withWaitTime(Duration.ZERO)))
                .isEmpty();
        assertThat(client("reader", false).tryAcquire(LockRequest.shared("k").withWaitTime(Duration.ZERO)))
                .isEmpty();
        assertThat(lock.isHeld()).isTrue();
    }
}
