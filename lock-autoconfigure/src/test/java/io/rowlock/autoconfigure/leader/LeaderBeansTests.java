package io.rowlock.autoconfigure.leader;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rowlock.LockClient;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.OtherNode;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.leader.LeaderElection;
import io.rowlock.leader.LeaderOnly;
import io.rowlock.leader.LeadershipEvent;
import io.rowlock.leader.LeadershipEvent.Transition;
import io.rowlock.test.AfterServer;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.Stopwatch;
import io.rowlock.test.database.DatabaseServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** Two applications with a method for the leader. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@OnEachServer
class LeaderBeansTests {
    private final List<ConfigurableApplicationContext> nodes = new ArrayList<>();
    private FreshSchema schema;
    private OtherNode other;

    @BeforeServer
    void start(DatabaseServer server) {
        schema = FreshSchema.on(server);
        schema.jdbc().execute("CREATE TABLE entry (id INT PRIMARY KEY)");
        other = OtherNode.on(schema);
        nodes.add(node());
        nodes.add(node());
    }

    @AfterServer
    void stop() {
        nodes.forEach(ConfigurableApplicationContext::close);
        other.close();
        schema.close();
    }

    @BeforeEach
    void reset() {
        schema.jdbc().update("DELETE FROM entry");
    }

    private ConfigurableApplicationContext node() {
        return new TestApplication(schema, Office.class, Slow.class)
                .with("rowlock.leader.roles.boss.ttl", "30s")
                .with("rowlock.leader.roles.boss.interval", "200ms")
                .start();
    }

    private ConfigurableApplicationContext leader() {
        return await().until(
                        () -> nodes.stream()
                                .filter(node -> election(node).isLeader())
                                .toList(),
                        leaders -> leaders.size() == 1)
                .get(0);
    }

    private ConfigurableApplicationContext follower(ConfigurableApplicationContext leader) {
        return nodes.stream().filter(node -> node != leader).findFirst().orElseThrow();
    }

    private static LeaderElection election(ConfigurableApplicationContext node) {
        return node.getBean("leaderElection.boss", LeaderElection.class);
    }

    private static Office office(ConfigurableApplicationContext node) {
        return node.getBean(Office.class);
    }

    private static void awaitHeard(Office office, Transition transition, long term) {
        await().until(() -> office.heard().contains(new LeadershipEvent("boss", transition, term)));
    }

    private int stored() {
        return schema.jdbc().queryForObject("SELECT COUNT(*) FROM entry", Integer.class);
    }

    @Test
    void bodyRunsOnTheLeaderOnly() {
        ConfigurableApplicationContext leader = leader();
        assertThat(office(leader).sign()).isEqualTo("signed");
        assertThat(office(follower(leader)).sign()).isNull();
        office(leader).store(1, () -> {});
        office(follower(leader)).store(2, () -> {});
        assertThat(stored()).isOne();
    }

    @Test
    void commitIsRefusedIfTheLeadershipWasLostMeanwhile() {
        Office office = office(leader());
        assertThatThrownBy(() -> office.store(1, () -> other.age("leader:boss")))
                .isInstanceOf(LockLostException.class);
        assertThat(stored()).isZero();
    }

    @Test
    void commitIsRefusedIfTheLeadershipWasYieldedMeanwhile() {
        ConfigurableApplicationContext leader = leader();
        ConfigurableApplicationContext next = follower(leader);
        assertThatThrownBy(() -> office(leader).store(1, () -> {
                    Thread yielding = new Thread(election(leader)::yieldLeadership);
                    yielding.start();
                    await().until(election(next)::isLeader);
                }))
                .isInstanceOf(LockLostException.class);
        assertThat(stored()).isZero();
        office(next).store(2, () -> {});
        assertThat(stored()).isOne();
    }

    @Test
    void closingHandsOverWithinASecondThoughTheTtlIsLongAndABeanStopsSlowly() throws Exception {
        ConfigurableApplicationContext leader = leader();
        ConfigurableApplicationContext next = follower(leader);
        Office former = office(leader);
        long term = election(leader).term();
        awaitHeard(former, Transition.PROMOTED, term);
        CountDownLatch handedOver = new CountDownLatch(1);
        List<LeadershipEvent> heardInTime = new CopyOnWriteArrayList<>();
        leader.getBean(Slow.class).stopping = () -> {
            heardInTime.addAll(former.heard());
            awaitOrGoOn(handedOver);
        };
        Thread closing = new Thread(leader::close);
        Stopwatch time = Stopwatch.start();
        closing.start();
        try {
            await().pollInterval(ofMillis(10)).until(() -> election(next).isLeader());
            assertThat(time.taken()).isLessThan(ofSeconds(1));
        } finally {
            handedOver.countDown();
            closing.join();
        }
        assertThat(heardInTime)
                .as("before anything stops")
                .contains(new LeadershipEvent("boss", Transition.LEAVE, term));
        assertThat(election(next).term()).isGreaterThan(term);
        awaitHeard(office(next), Transition.PROMOTED, election(next).term());
        nodes.set(nodes.indexOf(leader), node());
    }

    private static void awaitOrGoOn(CountDownLatch latch) {
        try {
            boolean unused = latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"row-lock", "unique-key"})
    void leaderAmongLocksOfAnotherStrategyHoldsALease(String strategy) {
        try (ConfigurableApplicationContext others = new TestApplication(schema)
                .with("rowlock.strategy", strategy)
                .with("rowlock.leader.roles.clerk.enabled", "true")
                .start()) {
            LeaderElection clerk = others.getBean(LeaderElection.class);
            await().until(clerk::isLeader);
            assertThat(clerk.leader()).isPresent();
            assertThat(other.canLock("leader:clerk")).isFalse();
        }
    }

    @Test
    void leadershipIsGivenBackWhileTheWebServerStillAnswersAndTheLocksOfItsWorkLater() {
        var web = (ServletWebServerApplicationContext) new TestApplication(schema)
                .withWeb()
                .with("rowlock.leader.roles.porter.ttl", "30s")
                .with("spring.lifecycle.timeout-per-shutdown-phase", "1s") // for a lock that is never closed
                .start();
        await().until(web.getBean(LeaderElection.class)::isLeader);
        web.getBean(LockClient.class).acquire(LockRequest.exclusive("work"));
        List<Boolean> seen = new CopyOnWriteArrayList<>();
        web.getBeanFactory().registerSingleton("late", new SmartLifecycle() {
            @Override
            public void start() {}

            @Override
            public void stop() {
                seen.add(other.canLock("leader:porter"));
                seen.add(other.canLock("work"));
            }

            @Override
            public boolean isRunning() {
                return true;
            }

            /** That of the web server's graceful shutdown. */
            @Override
            public int getPhase() {
                return Integer.MAX_VALUE - 1024;
            }
        });
        web.close();
        assertThat(seen).as("requests may still need their locks").containsExactly(true, false);
        assertThat(other.canLock("work")).isTrue();
    }

    /** In the default phase. */
    static class Slow implements SmartLifecycle {
        volatile Runnable stopping = () -> {};
        private volatile boolean running;

        @Override
        public void start() {
            running = true;
        }

        @Override
        public void stop() {
            running = false;
            stopping.run();
        }

        @Override
        public boolean isRunning() {
            return running;
        }
    }

    static class Office {
        private final List<LeadershipEvent> heard = new CopyOnWriteArrayList<>();
        private final JdbcTemplate jdbc;

        Office(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @LeaderOnly("boss")
        public @Nullable String sign() {
            return "signed";
        }

        @LeaderOnly("boss")
        @Transactional
        public void store(int id, Runnable meanwhile) {
            jdbc.update("INSERT INTO entry VALUES (?)", id);
            meanwhile.run();
        }

        public List<LeadershipEvent> heard() {
            return heard;
        }

        @EventListener
        public void on(LeadershipEvent event) {
            heard.add(event);
        }
    }
}
