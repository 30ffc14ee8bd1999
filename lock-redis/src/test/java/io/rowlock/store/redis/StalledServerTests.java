package io.rowlock.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.hamcrest.Matchers.greaterThan;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.servers.ThreeMasters;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.store.UncertainOutcomeException;
import io.rowlock.store.inspection.KeyRange;
import io.rowlock.store.inspection.StoreInspection;
import io.rowlock.test.Stopwatch;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** A server that stands still, is away, or refuses writes. */
@OnRedis
class StalledServerTests {
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final AtomicLong NONCES = new AtomicLong(System.nanoTime() >>> 1);

    private final RedisSettings settings = new RedisSettings(
            "rowlock:",
            Duration.ofMillis(500),
            Duration.ofMillis(300),
            Duration.ofHours(1),
            Duration.ofSeconds(3),
            Duration.ofSeconds(1),
            0,
            Duration.ofSeconds(1));
    private RedisServer server;
    private TestRedis redis;
    private RedisLockStore store;

    @BeforeEach
    void start() {
        try {
            server = RedisServer.start();
        } catch (IOException e) {
            assumeTrue(false, "redis-server is not installed");
        }
        redis = new TestRedis(server);
        store = redis.store(settings);
    }

    @AfterEach
    void stop() {
        redis.close();
        server.stop();
    }

    /** The program's own appender, or filter, throws on the event loop of the connection. */
    @Test
    void answerIsOfItsOwnCommandThoughSilenceCannotBeLogged() throws Exception {
        AtomicInteger warnings = new AtomicInteger();
        ListAppender<ILoggingEvent> full = new ListAppender<>() {
            @Override
            public synchronized void doAppend(ILoggingEvent event) {
                warnings.incrementAndGet();
                throw new IllegalStateException("the disk is full");
            }
        };
        ClientResources resources = ClientResources.builder()
                .nettyCustomizer(new SilentConnections(new NettyCustomizer() {}, Duration.ofSeconds(1)))
                .build();
        RedisClient client = RedisClient.create(resources, RedisURI.create(server.host(), server.port()));
        Logger logger = (Logger) LoggerFactory.getLogger(SilentConnections.class);
        logger.addAppender(full);
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            connection.sync().mset(Map.of("a", "A", "b", "B"));
            signal("STOP");
            RedisFuture<String> first = connection.async().get("a");
            RedisFuture<String> second = connection.async().get("b");
            Awaitility.await().atMost(TTL).untilAtomic(warnings, greaterThan(0));
            signal("CONT");
            assertThat(second.handle((answer, error) -> answer)
                            .toCompletableFuture()
                            .get(TTL.toSeconds(), TimeUnit.SECONDS))
                    .isIn("B", null);
            assertThat(first.handle((answer, error) -> answer)
                            .toCompletableFuture()
                            .get(TTL.toSeconds(), TimeUnit.SECONDS))
                    .isIn("A", null);
        } finally {
            signal("CONT");
            logger.detachAppender(full);
            client.shutdown(0, 0, TimeUnit.SECONDS);
            var unused = resources.shutdown(0, 0, TimeUnit.SECONDS);
        }
    }

    private static LeaseRequest request(String key) {
        return new LeaseRequest(key, LockMode.EXCLUSIVE, "owner", TTL, NONCES.incrementAndGet(), TTL, 0);
    }

    private Lease taken(String key) {
        return ((Attempt.Taken) store.tryAcquire(request(key))).lease();
    }

    private void signal(String signal) {
        try {
            new ProcessBuilder("kill", "-" + signal, String.valueOf(server.pid()))
                    .start()
                    .waitFor();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void attemptThatWasGivenUpTakesNothingWhenTheServerGetsToIt() throws Exception {
        store.release(taken("warm"));
        LeaseRequest late = request("late");
        signal("STOP");
        assertThatExceptionOfType(UncertainOutcomeException.class).isThrownBy(() -> store.tryAcquire(late));
        signal("CONT");
        assertThat(store.inspection().orElseThrow().holders("late")).isEmpty();
        assertThat(store.abandon(late)).as("nothing can come of it any more").isTrue();
        taken("late");
    }

    /** The first one asks for the server's clock before it is sent. */
    @Test
    void attemptThatWasNotSentIsNoOpenOne() {
        signal("STOP");
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> store.tryAcquire(request("cold")))
                .withMessageContaining("no answer came in time")
                .isNotInstanceOf(UncertainOutcomeException.class);
        signal("CONT");
        taken("cold");
    }

    @Test
    void delayedReleaseThatWasGivenUpChangesNothing() throws Exception {
        Lease lease = taken("extended");
        signal("STOP");
        assertThatExceptionOfType(UncertainOutcomeException.class)
                .isThrownBy(() -> store.release(lease, Duration.ofMillis(1)));
        signal("CONT");
        assertThat(store.renew(List.of(lease), TTL)).containsEntry(lease, Renewal.RENEWED);
    }

    @Test
    void clockThatWasSetForwardIsMeasuredAnew() {
        RedisClient client = RedisClient.create(server.uri());
        try (RedisServers<?> servers = new DirectServers(client, true)) {
            RedisScripts scripts = new RedisScripts(servers, settings);
            RedisScripts.Call release = RedisScripts.Call.inTime(Script.RELEASE, "skewed", 1_000, "x", 0, 0);
            long time = scripts.run(release).time();
            scripts.clocks.values().forEach(clock -> {
                clock.forget();
                clock.answered(time - TimeUnit.HOURS.toMicros(1), System.nanoTime());
            });
            assertThat(scripts.run(release).status()).isEqualTo("O");
        } finally {
            client.shutdown();
        }
    }

    /** Else what becomes of the attempt would be open for as long as an attempt may be. */
    @Test
    void callWhoseServerIsAnotherMeanwhileKnowsWhenItIsOver() {
        RedisClient client = RedisClient.create(server.uri());
        try (RedisServers<?> servers = new MovingServers(client)) {
            RedisScripts scripts = new RedisScripts(servers, settings);
            RedisScripts.Call release = RedisScripts.Call.inTime(Script.RELEASE, "moved", 1_000, "x", 0, 0);
            RedisScripts.Sent sent = scripts.send(release, key -> {
                signal("STOP");
                return servers.commands();
            });
            assertThatExceptionOfType(UnansweredException.class)
                    .isThrownBy(sent::answer)
                    .satisfies(e -> assertThat(e.notAfter).isLessThan(RedisScripts.ANY_TIME));
        } finally {
            signal("CONT");
            client.shutdown();
        }
    }

    /** Each time that a key is looked for, another server has it. */
    private static final class MovingServers extends RedisServers<StatefulRedisConnection<String, String>> {
        private final AtomicLong looks = new AtomicLong();

        MovingServers(RedisClient client) {
            super(client.connect(), client::connectPubSub);
        }

        @Override
        RedisClusterAsyncCommands<String, String> commands() {
            return connection.async();
        }

        @Override
        OwnConnection open() {
            throw new UnsupportedOperationException();
        }

        @Override
        void lookForMasters(RedisFailure failure) {}

        @Override
        List<RedisClusterAsyncCommands<String, String>> masters() {
            return List.of(commands());
        }

        @Override
        int slot(String key) {
            return 0;
        }

        @Override
        String serverOf(String key) {
            return "server " + looks.incrementAndGet();
        }

        @Override
        String kind() {
            return "servers whose slots move";
        }
    }

    /** An answer that is slow has until the limit, and a connection that owes none is kept. */
    @Test
    void connectionThatOwesAnAnswerForTooLongIsMadeAnewAndOneThatOwesNoneIsKept() throws Exception {
        CountDownLatch disconnected = new CountDownLatch(1);
        RedisClient client = RedisClient.create(LettuceOptions.resources(TestRedis.RESOURCES, settings), server.uri());
        client.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
                disconnected.countDown();
            }
        });
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            long limit = settings.commandTimeout().toMillis();
            connection.sync().ping();
            assertThat(disconnected.await(2 * limit, TimeUnit.MILLISECONDS)).isFalse();
            signal("STOP");
            var unused = connection.async().ping();
            assertThat(disconnected.await(limit * 9 / 10, TimeUnit.MILLISECONDS))
                    .isFalse();
            assertThat(disconnected.await(20, TimeUnit.SECONDS)).isTrue();
        } finally {
            signal("CONT");
            client.shutdown();
        }
    }

    @Test
    void callWaitsForTheConnectionAndThenFailsWithoutEffect() throws Exception {
        CountDownLatch disconnected = new CountDownLatch(1);
        RedisClient client = RedisClient.create(TestRedis.RESOURCES, server.uri());
        client.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
                disconnected.countDown();
            }
        });
        try (RedisLockStore cut = RedisLockStore.standalone(client, settings)) {
            redis.commands().clientKill(KillArgs.Builder.typeNormal().skipme());
            assertThat(disconnected.await(20, TimeUnit.SECONDS)).isTrue(); // what is sent before has no answer
            assertThat(cut.tryAcquire(request("reconnected"))).isInstanceOf(Attempt.Taken.class);
        }
        server.stop();
        Stopwatch time = Stopwatch.start();
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> {
                    for (int i = 0; i < 3; i++) {
                        store.tryAcquire(request("away" + i));
                    }
                })
                .satisfies(e -> assertThat(e.getMessage()).containsAnyOf("cannot be reached", "no answer"));
        assertThat(time.taken()).isLessThan(Duration.ofSeconds(10));
    }

    @Test
    void replicaAndFullServerSayWhatIsWrong() {
        redis.commands().configSet("maxmemory", "1");
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> store.tryAcquire(request("full")))
                .withMessageContaining("out of memory")
                .isNotInstanceOf(UncertainOutcomeException.class);
        redis.commands().configSet("maxmemory", "0");
        ((RedisCommands<String, String>) redis.commands()).replicaof("127.0.0.1", 1);
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> store.tryAcquire(request("replica")))
                .withMessageContaining("replica")
                .isNotInstanceOf(UncertainOutcomeException.class);
    }

    @Test
    void fullServerRefusesAReaderAfterOthersToo() {
        store.release(shared());
        redis.commands().configSet("maxmemory", "1");
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(this::shared)
                .withMessageContaining("out of memory");
        redis.commands().configSet("maxmemory", "0");
        shared();
    }

    @Test
    void fullServerRefusesAPermitAfterOneThatWasKeptToo() {
        Lease kept = taken(LockMode.PERMIT, 1);
        assertThat(store.release(kept, Duration.ofSeconds(1))).isTrue();
        redis.expire(kept);
        redis.commands().configSet("maxmemory", "1");
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> taken(LockMode.PERMIT, 1))
                .withMessageContaining("out of memory");
        redis.commands().configSet("maxmemory", "0");
        taken(LockMode.PERMIT, 1);
    }

    private Lease shared() {
        return taken(LockMode.SHARED, 0);
    }

    private Lease taken(LockMode mode, int permits) {
        LeaseRequest request =
                new LeaseRequest("read", mode, "owner", TTL, NONCES.incrementAndGet(), Duration.ZERO, permits);
        return ((Attempt.Taken) store.tryAcquire(request)).lease();
    }

    @Test
    void lockIsReleasedThoughTheServerIsFull() {
        Lease lease = taken("held");
        Lease kept = taken("kept");
        redis.commands().configSet("maxmemory", "1");
        assertThat(store.renew(List.of(lease), TTL)).containsEntry(lease, Renewal.RENEWED);
        assertThat(store.release(kept, Duration.ofSeconds(1))).isTrue();
        assertThat(store.release(lease)).isTrue();
        redis.commands().configSet("maxmemory", "0");
        taken("held");
    }

    /** Where only an address moves, the new connection leads to the new master. */
    @Test
    void serverThatHasBecomeAReplicaIsConnectedToAnew() {
        taken("before");
        ((RedisCommands<String, String>) redis.commands()).replicaof("127.0.0.1", 1);
        int before = connections();
        assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> store.tryAcquire(request("replica")));
        Awaitility.await().until(() -> connections() > before);
    }

    /** Counts the connections that the server has ever accepted. */
    private int connections() {
        return redis.commands()
                .info("stats")
                .lines()
                .filter(line -> line.startsWith("total_connections_received:"))
                .mapToInt(line ->
                        Integer.parseInt(line.substring(line.indexOf(':') + 1).strip()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void serverThatMayEvictLocksIsWarnedOf() {
        assertThat(store.report().warnings()).isEmpty();
        redis.commands().configSet(Map.of("maxmemory", "100mb", "maxmemory-policy", "volatile-lru"));
        assertThat(store.report().warnings()).singleElement().asString().contains("maxmemory-policy is volatile-lru");
    }

    /** A server that is busy, or on a busy machine, gets all the time that an answer takes. */
    private static RedisSettings patient(Duration connectTimeout) {
        return new RedisSettings(
                "rowlock:",
                Duration.ofSeconds(30),
                connectTimeout,
                Duration.ofHours(1),
                Duration.ofSeconds(3),
                Duration.ofSeconds(1),
                0,
                Duration.ofSeconds(1));
    }

    /** It loads for a minute, unless it is told to make haste. */
    @Test
    void serverThatLoadsItsDataIsWaitedForAndThenNamed(@TempDir Path directory) throws Exception {
        RedisServer before = RedisServer.start("--dir", directory.toString());
        try (TestRedis filled = new TestRedis(before)) {
            for (int i = 0; i < 600; i++) {
                filled.commands().set("key" + i, "x".repeat(2_000));
            }
            filled.commands().configSet("rdbcompression", "no");
            filled.commands().save();
        } finally {
            before.stop();
        }
        RedisServer loading = RedisServer.start(
                "--dir",
                directory.toString(),
                "--key-load-delay",
                "100000",
                "--loading-process-events-interval-bytes",
                "1024");
        try (TestRedis late = new TestRedis(loading)) {
            RedisLockStore impatient = late.store(patient(Duration.ofMillis(300)));
            assertThatExceptionOfType(LockStoreException.class)
                    .isThrownBy(() -> impatient.tryAcquire(request("loading")))
                    .withMessageContaining("does not serve commands at the moment")
                    .withMessageContaining("LOADING")
                    .isNotInstanceOf(UncertainOutcomeException.class);
            RedisLockStore patient = late.store(patient(Duration.ofSeconds(30)));
            CompletableFuture<Attempt> waiting =
                    CompletableFuture.supplyAsync(() -> patient.tryAcquire(request("loading")));
            TimeUnit.MILLISECONDS.sleep(200);
            late.commands().configSet("key-load-delay", "0");
            assertThat(waiting.get(1, TimeUnit.MINUTES)).isInstanceOf(Attempt.Granted.class);
        } finally {
            loading.stop();
        }
    }

    @Test
    void clusterWithoutSlotsIsNamedThoughAMasterMayBeWaitedForAsLongAsAnAnswer(@TempDir Path directory)
            throws Exception {
        RedisServer lonely = RedisServer.start("--cluster-enabled", "yes", "--dir", directory.toString());
        try (TestRedis clients = new TestRedis(lonely)) {
            RedisLockStore there = clients.store(new RedisSettings(
                    "rowlock:",
                    Duration.ofSeconds(2),
                    Duration.ofSeconds(2),
                    Duration.ofHours(1),
                    Duration.ofSeconds(3),
                    Duration.ofSeconds(1),
                    0,
                    Duration.ofSeconds(1)));
            assertThatExceptionOfType(LockStoreException.class)
                    .isThrownBy(() -> there.tryAcquire(request("unserved")))
                    .withMessageContaining("cluster does not serve the slot")
                    .withMessageContaining("CLUSTERDOWN")
                    .isNotInstanceOf(UncertainOutcomeException.class);
        } finally {
            lonely.stop();
        }
    }

    @Test
    @Tag("full")
    void slotThatNoMasterHasIsNamed() throws Exception {
        try (ThreeMasters cluster = ThreeMasters.start();
                TestRedis clients = new TestRedis(cluster.uris())) {
            RedisLockStore there = clients.store(patient(Duration.ofMillis(300)));
            RedisClient first = RedisClient.create(cluster.masters().get(0).uri());
            try (var connection = first.connect()) {
                String unused = connection.sync().clusterDelSlots(0);
            } finally {
                first.shutdown();
            }
            assertThatExceptionOfType(LockStoreException.class)
                    .isThrownBy(() -> there.tryAcquire(request(keyOfTheFirst())))
                    .withMessageContaining("cluster does not serve the slot")
                    .withMessageContaining("CLUSTERDOWN")
                    .isNotInstanceOf(UncertainOutcomeException.class);
        }
    }

    @Test
    @Tag("full")
    void masterThatIsGoneMakesTheClusterAnOutageForAnOperator() throws Exception {
        try (ThreeMasters cluster = ThreeMasters.start()) {
            cluster.masters().get(2).stop();
            try (TestRedis clients = new TestRedis(cluster.uris())) {
                RedisLockStore there = clients.store(settings);
                StoreInspection inspection = there.inspection().orElseThrow();
                assertThatExceptionOfType(LockStoreException.class)
                        .isThrownBy(() -> inspection.page(KeyRange.of(""), 10));
                assertThatExceptionOfType(LockStoreException.class).isThrownBy(there::report);
            }
        }
    }

    /** On the master that has lost a slot, which serves none any more. */
    private static String keyOfTheFirst() {
        for (int i = 0; ; i++) {
            if (SlotHash.getSlot("k" + i) < SlotHash.SLOT_COUNT / 3) {
                return "k" + i;
            }
        }
    }

    @Test
    void waiterIsGrantedItsKeyThoughTheServerStoodStill() throws Exception {
        RedisLockStore node = redis.store(patient(Duration.ofSeconds(30)));
        RedisLockStore other = redis.store(patient(Duration.ofSeconds(30)));
        Lease held = ((Attempt.Taken) node.tryAcquire(request("queued"))).lease();
        LeaseRequest waiting = request("queued");
        var ticket = other.queue().join(waiting).orElseThrow();
        assertThat(ticket.tryAcquire(waiting)).isInstanceOf(Attempt.Busy.class);
        signal("STOP");
        CompletableFuture<Boolean> release = CompletableFuture.supplyAsync(() -> node.release(held));
        TimeUnit.MILLISECONDS.sleep(200);
        signal("CONT");
        assertThat(release.get(1, TimeUnit.MINUTES)).isTrue();
        ticket.await(Duration.ofSeconds(10));
        assertThat(ticket.tryAcquire(waiting)).isInstanceOf(Attempt.Granted.class);
    }
}
