package io.rowlock.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockEvent;
import io.rowlock.LockRequest;
import io.rowlock.OnLost;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.OtherNode;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.DatabaseServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.EventListener;

/** An application with Actuator on a real server: its meters and its events tell the same story. */
@OnServer
@Timeout(120)
class ObservedApplicationTests {
    private static FreshSchema schema;
    private static ConfigurableApplicationContext context;
    private static LockClient locks;
    private static MeterRegistry meters;
    private static Listening listening;

    @BeforeAll
    static void start(DatabaseServer server) {
        schema = FreshSchema.on(server);
        context = new TestApplication(schema, Listening.class, Body.class).start();
        locks = context.getBean(LockClient.class);
        meters = context.getBean(MeterRegistry.class);
        listening = context.getBean(Listening.class);
    }

    @AfterAll
    static void stop() {
        if (context != null) {
            context.close();
            schema.close();
        }
    }

    /** Blocks on keys that say so, and fails on others. */
    static class Listening {
        final CountDownLatch goOn = new CountDownLatch(1);
        final List<LockEvent> heard = new CopyOnWriteArrayList<>();

        @EventListener
        void on(LockEvent event) throws InterruptedException {
            if (event.name().equals("blocking")) {
                goOn.await();
            }
            heard.add(event);
            if (event.name().equals("failing")) {
                throw new IllegalStateException("on purpose");
            }
        }

        List<LockEvent.Type> heardOf(String name) {
            return heard.stream()
                    .filter(event -> event.name().equals(name))
                    .map(LockEvent::type)
                    .toList();
        }
    }

    static class Body {
        @DistributedLock(name = "annotated", key = "#id", ttl = "12s", onLost = OnLost.INTERRUPT)
        public void sleepUntilInterrupted(int id) throws InterruptedException {
            forceRelease("annotated:" + id);
            Thread.sleep(60_000); // until the interrupt; not for ever if none comes
        }
    }

    private static void forceRelease(String key) {
        int rows = schema.jdbc()
                .update("UPDATE rowlock_lock SET expires_at = '1970-01-01', owner = '' WHERE lock_key = ?", (Object)
                        key.getBytes(StandardCharsets.UTF_8));
        assertThat(rows).isEqualTo(1);
    }

    private static long timed(String timer, String name, String outcome) {
        return meters.get(timer)
                .tags("name", name, "outcome", outcome, "mode", "exclusive", "strategy", "lease")
                .timer()
                .count();
    }

    private static double lost(String name) {
        return meters.get("rowlock.lost").tag("name", name).counter().count();
    }

    @Test
    void takenAndGivenBackIsTimedAndTold() {
        for (int i = 0; i < 3; i++) {
            locks.acquire(LockRequest.exclusive("order:" + i)).close();
        }
        assertThat(timed("rowlock.acquire", "order", "acquired")).isEqualTo(3);
        assertThat(timed("rowlock.held", "order", "released")).isEqualTo(3);
        assertThat(meters.get("rowlock.active").tag("name", "order").gauge().value())
                .isZero();
        await().until(() -> listening.heardOf("order").size() == 6);
        assertThat(listening.heardOf("order").subList(0, 2))
                .containsExactly(LockEvent.Type.ACQUIRED, LockEvent.Type.RELEASED);
        assertThat(lost("order")).isZero();
    }

    @Test
    void lossIsCountedOnceAndAgreesWithTheEvents() {
        LockRequest request = LockRequest.exclusive("losing:1", "losing:2").withTtl(Duration.ofSeconds(12));
        HeldLock lock = locks.acquire(request);
        forceRelease("losing:1");
        forceRelease("losing:2");
        await().until(() -> lost("losing") == 2);
        lock.close();
        await().until(() -> listening.heardOf("losing").stream()
                        .filter(LockEvent.Type.LOST::equals)
                        .count()
                == 2);
        assertThat(lost("losing")).isEqualTo(2);
        assertThat(timed("rowlock.held", "losing", "lost")).isEqualTo(2);
        assertThat(listening.heardOf("losing")).doesNotContain(LockEvent.Type.RELEASED);
        assertThat(meters.get("rowlock.renewal.leases")
                        .tags("outcome", "lost", "strategy", "lease")
                        .summary()
                        .totalAmount())
                .isGreaterThanOrEqualTo(2);
    }

    @Test
    void annotatedBodyIsInterruptedWhenItsLockIsLost() {
        Body body = context.getBean(Body.class);
        assertThatThrownBy(() -> body.sleepUntilInterrupted(7)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        await().until(() -> lost("annotated") == 1);
    }

    @Test
    void eventListenerThatBlocksOrFailsHoldsUpNoLock() {
        for (int i = 0; i < 2; i++) {
            locks.acquire(LockRequest.exclusive("blocking:" + i)).close();
            locks.acquire(LockRequest.exclusive("failing:" + i)).close();
        }
        assertThat(listening.heardOf("blocking")).isEmpty();
        assertThat(timed("rowlock.held", "failing", "released")).isEqualTo(2);
        listening.goOn.countDown();
        await().until(() -> listening.heardOf("blocking").size() == 4
                && listening.heardOf("failing").size() == 4);
        assertThat(listening.heardOf("blocking"))
                .containsExactly(
                        LockEvent.Type.ACQUIRED,
                        LockEvent.Type.RELEASED,
                        LockEvent.Type.ACQUIRED,
                        LockEvent.Type.RELEASED);
    }

    @Test
    void everyPoolIsMetered() {
        locks.acquire(LockRequest.exclusive("pinned:1").withStrategy("row-lock"))
                .close();
        try (OtherNode other = OtherNode.on(schema);
                HeldLock theirs = other.lock("lined:1")) {
            Optional<HeldLock> mine =
                    locks.tryAcquire(LockRequest.exclusive("lined:1").withWaitTime(Duration.ofMillis(500)));
            assertThat(mine).isEmpty();
            assertThat(theirs.isHeld()).isTrue();
        }
        assertThat(timed("rowlock.acquire", "lined", "busy")).isEqualTo(1);
        assertThat(List.of("rowlock", "rowlock-row-lock", "rowlock-waiting"))
                .allSatisfy(pool -> assertThat(meters.get("hikaricp.connections.max")
                                .tag("pool", pool)
                                .gauge()
                                .value())
                        .isPositive());
        assertThat(meters.get("rowlock.log.dropped").functionCounter().count()).isZero();
    }
}
