package io.rowlock.autoconfigure.outage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockEvent;
import io.rowlock.LockRequest;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.Http;
import io.rowlock.autoconfigure.application.OtherNode;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.store.Maintenance;
import io.rowlock.store.jdbc.log.AsyncLockLog;
import io.rowlock.test.KillableServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * The server is killed and started again while an application uses its locks. Then, with all quiet again, events, meters,
 * endpoint and log are held against each other, and against what those who asked for locks saw.
 */
@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
@Timeout(600)
class ServerOutageTests {
    private static final Duration LONG = Duration.ofMinutes(10);

    /** Renewed all the time, they run out while the server is away. */
    private static final List<LockRequest> FRAIL = List.of(
            LockRequest.exclusive("frail:1"),
            LockRequest.exclusive("frail:2"),
            LockRequest.shared("frail:3"),
            LockRequest.exclusive("frail:4").withStrategy("unique-key"),
            LockRequest.exclusive("frail:5").withStrategy("row-lock"));

    /** They outlast it. */
    private static final List<LockRequest> STEADY = List.of(
            LockRequest.exclusive("steady:1").withTtl(LONG),
            LockRequest.shared("steady:2").withTtl(LONG),
            LockRequest.exclusive("steady:3").withTtl(LONG).withStrategy("unique-key"));

    /** Taken for moments by many threads. */
    private static final List<LockRequest> HOT = List.of(
            LockRequest.exclusive("hot:1"),
            LockRequest.exclusive("hot:2"),
            LockRequest.shared("hot:3"),
            LockRequest.shared("hot:3"),
            LockRequest.exclusive("hot:3"),
            LockRequest.shared("hot:4"),
            LockRequest.exclusive("hot:5").withStrategy("unique-key"),
            LockRequest.exclusive("hot:6").withStrategy("row-lock"),
            LockRequest.shared("hot:7").withStrategy("row-lock"));

    /** Never taken before, so only the server can say whether they are free. */
    private static final List<LockRequest> UNKNOWN = List.of(
            LockRequest.exclusive("unknown:1"),
            LockRequest.exclusive("unknown:2").withWaitTime(Duration.ZERO),
            LockRequest.shared("unknown:3"),
            LockRequest.exclusive("unknown:4").withStrategy("unique-key"),
            LockRequest.exclusive("unknown:5").withStrategy("row-lock"));

    /** Held by another node. */
    private static final LockRequest FAR = LockRequest.exclusive("far:1").withTtl(LONG);

    private static KillableServer server;
    private static FreshSchema schema;
    private static ConfigurableApplicationContext context;
    private static OtherNode other;
    private static LockLoad load;
    private static Http http;
    private static LockMeterSums meters;
    private static ToldEvents told;
    private static Bodies bodies;
    private static final List<Bodies.Body> frail = new ArrayList<>();
    private static final List<Bodies.Body> steady = new ArrayList<>();

    @BeforeAll
    @Timeout(600)
    static void killTheServerUnderLoad() throws Exception {
        start();
        takeFrom(FRAIL, frail);
        takeFrom(STEADY, steady);
        HeldLock far = other.lock(FAR);
        Future<Bodies.Body> patient = load.submit(ServerOutageTests::awaitFar);
        patiently().until(() -> http.get("rowlock?prefix=far:").<Integer>at("$.locks[0].localWaiters") == 1);
        assertThat(bodies.take(FAR.withWaitTime(Duration.ZERO))).isEmpty();
        assertThat(bodies.busy()).isOne();
        everybodyCounts(FRAIL.size() + STEADY.size());
        String owner = http.get("rowlock").at("$.node.owner");
        patiently().until(() -> LogRow.of(schema, owner).size() == FRAIL.size() + STEADY.size());
        load.start(8, HOT);
        patiently().until(load::eachGotSome);

        server.kill();
        load.beginAnew();
        nothingIsKnownDuringTheOutage();
        server.startAgain();

        load.beginAnew();
        far.close();
        patiently().until(load::eachGotSome);
        patient.get(1, TimeUnit.MINUTES).close();
        load.stop();
        takeOver();
        patiently().until(() -> http.get("rowlock").<Integer>at("$.node.atRisk") == 0);
        assertThat(steady).allMatch(body -> body.lock().isHeld());
        everybodyCounts(STEADY.size());
        Stream.concat(frail.stream(), steady.stream()).forEach(Bodies.Body::close);
    }

    private static void start() throws Exception {
        frail.clear();
        steady.clear();
        server = KillableServer.start();
        schema = FreshSchema.on(server.server());
        context = new TestApplication(schema, ToldEvents.class)
                .withWeb()
                .with("rowlock.ttl", "3s")
                .with("rowlock.wait-time", "30s")
                .with("rowlock.renewal.interval", "500ms")
                .with("rowlock.pool.connection-timeout", "1s")
                .with("rowlock.pool.size", "16")
                .with("rowlock.cleanup.interval", "1h")
                .with("management.endpoints.web.exposure.include", "rowlock,health")
                .with("management.endpoint.health.show-details", "always")
                .start();
        other = OtherNode.on(schema);
        http = new Http(context);
        meters = new LockMeterSums(context.getBean(MeterRegistry.class));
        told = context.getBean(ToldEvents.class);
        bodies = new Bodies(context.getBean(LockClient.class));
        load = new LockLoad(bodies);
    }

    @AfterAll
    @Timeout(300)
    static void stop() {
        Stream.of(load, context, other, server)
                .filter(started -> started != null)
                .forEach(ServerOutageTests::close);
    }

    private static void close(AutoCloseable started) {
        try {
            started.close();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static ConditionFactory patiently() {
        return await().atMost(Duration.ofMinutes(1));
    }

    private static void takeFrom(List<LockRequest> requests, List<Bodies.Body> taken) {
        requests.forEach(request -> taken.add(bodies.take(request).orElseThrow()));
    }

    /** Asks again whenever the database could not be asked, until the lock is there. */
    private static Bodies.Body awaitFar() {
        while (true) {
            var taken = bodies.take(FAR.withWaitTime(LONG));
            if (taken.isPresent()) {
                return taken.get();
            }
        }
    }

    private static void nothingIsKnownDuringTheOutage() throws Exception {
        List<Future<Boolean>> asked = new ArrayList<>();
        for (LockRequest request : UNKNOWN) {
            asked.add(load.submit(() -> bodies.take(request).isEmpty()));
        }
        for (Future<Boolean> each : asked) {
            assertThat(each.get(1, TimeUnit.MINUTES)).isTrue();
        }
        patiently().until(load::eachFailed);
        patiently().until(() -> told.count(LockEvent.Type.LOST, "frail") == FRAIL.size());
        patiently().until(() -> told.count(LockEvent.Type.AT_RISK, "steady") >= STEADY.size());
        assertThat(frail).noneMatch(body -> body.lock().isHeld());
        assertThat(steady).allMatch(body -> body.lock().isHeld());
        patiently().until(() -> meters.timed("rowlock.acquire", "name", "far", "outcome", "error") > 0);
        assertThat(bodies.take(FAR.withWaitTime(Duration.ZERO))).isEmpty();
        assertThat(http.get("rowlock").status()).isEqualTo(503);
        assertThat(http.get("health/rowlock").<String>at("$.status")).isEqualTo("DOWN");
    }

    /** Takes every lock that a release may not have reached. On a thread that has none of them. */
    private static void takeOver() throws Exception {
        Stream<LockRequest> keys = Stream.concat(FRAIL.stream(), HOT.stream())
                .map(request -> LockRequest.exclusive(request.keys()).withStrategy(request.strategy()))
                .distinct();
        assertThat(load.submit(() -> keys.map(bodies::take)
                                .peek(taken -> taken.ifPresent(Bodies.Body::close))
                                .allMatch(taken -> taken.isPresent()))
                        .get(1, TimeUnit.MINUTES))
                .isTrue();
    }

    /** Endpoint, meters and table count the same locks of this node. */
    private static void everybodyCounts(int held) {
        patiently().untilAsserted(() -> {
            Http.Answer answer = http.get("rowlock");
            assertThat(answer.<List<?>>at("$.locks[?(@.thisNode == true)]")).hasSize(held);
            assertThat(answer.<Integer>at("$.node.held")).isEqualTo(held);
            assertThat(meters.present("rowlock.active")).isEqualTo(held);
            assertThat(meters.present("rowlock.waiting"))
                    .isEqualTo(answer.<Integer>at("$.node.waiting").longValue());
        });
    }

    private static Map<TokenAccount.Id, TokenAccount> accounts() {
        return TokenAccount.of(told.all(), bodies.all());
    }

    /** Fails if the events that are on their way do not make them agree soon. */
    private static void each(BiConsumer<TokenAccount.Id, TokenAccount> check) {
        await().untilAsserted(() -> {
            assertThat(accounts()).isNotEmpty();
            accounts().forEach(check);
        });
    }

    @Test
    void everyLockEndsReleasedLostOrLeftToExpire() {
        each((id, account) -> {
            assertThat(account.lostGrants()).as("%s %s", id, account).isNotNegative();
            assertThat(account.lost() > 0).as("%s %s", id, account).isEqualTo(account.lostGrants() > 0);
            if (!account.hasReaders()) {
                assertThat(account.lostGrants()).as("%s %s", id, account).isEqualTo(account.lost());
                assertThat(account.lostGrants() + account.failedReleases())
                        .as("%s %s", id, account)
                        .isLessThanOrEqualTo(1);
            }
        });
        assertThat(told.count(LockEvent.Type.ACQUIRED)).isEqualTo(bodies.all().size());
    }

    @Test
    void holderOfALostLockWasNotifiedOnce() {
        each((id, account) ->
                assertThat(account.noticedLosses()).as("%s %s", id, account).isEqualTo(account.lostGrants()));
        assertThat(bodies.all()).allMatch(body -> body.losses() <= 1);
        assertThat(frail).allMatch(body -> body.losses() == 1);
        assertThat(steady).allMatch(body -> body.losses() == 0);
    }

    /** A grant whose answer was lost with the server expires, too, though no process ever knew of it. */
    @Test
    void onlyWhatWasNotReleasedIsFoundExpired() {
        each((id, account) -> {
            if (account.acquired() > 0 && !account.hasReaders()) {
                assertThat(account.strangersExpired()).as("%s %s", id, account).isZero();
            }
        });
        await().untilAsserted(() -> {
            assertThat(frail.stream().map(Bodies.Body::id))
                    .filteredOn(id -> !id.strategy().equals("row-lock"))
                    .allSatisfy(id -> assertThat(accounts().get(id).expired()).isOne());
            assertThat(accounts().values().stream()
                            .mapToInt(TokenAccount::strangersExpired)
                            .sum())
                    .isLessThanOrEqualTo(bodies.errors());
        });
    }

    @Test
    void metersAgreeWithTheEventsAndTheBodies() {
        await().untilAsserted(() -> {
            long failedReleases =
                    bodies.all().stream().filter(Bodies.Body::releaseFailed).count();
            assertThat(meters.counted("rowlock.lost")).isEqualTo(told.count(LockEvent.Type.LOST));
            assertThat(meters.counted("rowlock.at.risk")).isEqualTo(told.count(LockEvent.Type.AT_RISK));
            assertThat(meters.timed("rowlock.held")).isEqualTo(told.count(LockEvent.Type.ACQUIRED));
            // a failed release that turns out to have been carried out later is an event, too
            assertThat(told.count(LockEvent.Type.RELEASED) - meters.timed("rowlock.held", "outcome", "released"))
                    .isBetween(0L, failedReleases);
            assertThat(meters.timed("rowlock.held", "outcome", "lost"))
                    .isEqualTo(
                            bodies.all().stream().mapToInt(Bodies.Body::losses).sum());
            assertThat(meters.timed("rowlock.held", "outcome", "error")).isEqualTo(failedReleases);
            assertThat(meters.timed("rowlock.acquire", "outcome", "acquired"))
                    .isEqualTo(told.count(LockEvent.Type.ACQUIRED));
        });
        assertThat(meters.counted("rowlock.lost", "name", "frail")).isEqualTo(FRAIL.size());
        assertThat(meters.counted("rowlock.lost", "name", "steady")).isZero();
        assertThat(meters.present("rowlock.active")).isZero();
        assertThat(meters.present("rowlock.waiting")).isZero();
    }

    @Test
    void applicationEventsAreTheSame() {
        await().untilAsserted(() -> assertThat(LockEvent.Type.values())
                .allSatisfy(type -> assertThat(told.countPublished(type)).isEqualTo(told.count(type))));
    }

    @Test
    void outageIsNeverBusy() {
        assertThat(bodies.busy()).as("before the outage").isOne();
        await().untilAsserted(() -> assertThat(told.count(LockEvent.Type.BUSY)).isOne());
        assertThat(meters.timed("rowlock.acquire", "outcome", "busy")).isOne();
        assertThat(meters.timed("rowlock.acquire", "outcome", "error")).isEqualTo(bodies.errors());
        assertThat(meters.timed("rowlock.acquire", "name", "unknown")).isEqualTo(UNKNOWN.size());
        assertThat(meters.timed("rowlock.acquire", "name", "unknown", "outcome", "error"))
                .isEqualTo(UNKNOWN.size());
    }

    @Test
    void endpointShowsNothingThatIsLeft() {
        everybodyCounts(0);
        Http.Answer answer = http.get("rowlock");
        assertThat(answer.<List<?>>at("$.locks")).isEmpty();
        assertThat(answer.<Integer>at("$.node.waiting")).isZero();
        assertThat(answer.<Integer>at("$.node.atRisk")).isZero();
        assertThat(http.get("health/rowlock").<String>at("$.status")).isEqualTo("UP");
    }

    /** A row or change that was dropped is missing, unless a later one of the same grant was written. */
    @Test
    void logSaysTheSameButForWhatItDropped() {
        AsyncLockLog log = context.getBean(AsyncLockLog.class);
        String owner = http.get("rowlock").at("$.node.owner");
        await().untilAsserted(() -> {
            LogRow.Deviation deviation = LogRow.deviation(accounts(), LogRow.of(schema, owner));
            assertThat(deviation.invented()).isEmpty();
            assertThat(deviation.missing()).isLessThanOrEqualTo(log.dropped());
        });
        assertThat(meters.meters().get("rowlock.log.dropped").functionCounter().count())
                .isEqualTo((double) log.dropped());
        LogRow.age(schema);
        context.getBean(Maintenance.class).cleanUp();
        assertThat(LogRow.of(schema, owner))
                .filteredOn(row -> !row.id().strategy().equals("row-lock"))
                .extracting(LogRow::status)
                .isSubsetOf("RELEASED", "LOST", "EXPIRED");
    }
}
