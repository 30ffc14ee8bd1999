package io.rowlock.autoconfigure;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rowlock.LockLostException;
import io.rowlock.leader.LeaderElection;
import io.rowlock.leader.LeaderOnly;
import io.rowlock.leader.LeadershipEvent;
import io.rowlock.leader.LeadershipEvent.Transition;
import io.rowlock.test.DatabaseServer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** Two applications with a method for the leader. */
abstract class LeaderBeansContract {
    private FreshSchema schema;
    private OtherNode other;
    private ConfigurableApplicationContext leader;
    private ConfigurableApplicationContext follower;

    @BeforeEach
    void start(DatabaseServer server) {
        schema = FreshSchema.on(server);
        schema.jdbc().execute("CREATE TABLE entry (id INT PRIMARY KEY)");
        other = OtherNode.on(schema);
        leader = node();
        await().until(election(leader)::isLeader);
        follower = node();
    }

    @AfterEach
    void stop() {
        leader.close();
        follower.close();
        other.close();
        schema.close();
    }

    private ConfigurableApplicationContext node() {
        return new TestApplication(schema, Office.class)
                .withoutWeb()
                .with("rowlock.leader.roles.boss.ttl", "30s")
                .with("rowlock.leader.roles.boss.interval", "200ms")
                .start();
    }

    private static LeaderElection election(ConfigurableApplicationContext node) {
        return node.getBean("leaderElection.boss", LeaderElection.class);
    }

    private static Office office(ConfigurableApplicationContext node) {
        return node.getBean(Office.class);
    }

    private int stored() {
        return schema.jdbc().queryForObject("SELECT COUNT(*) FROM entry", Integer.class);
    }

    @Test
    void bodyRunsOnTheLeaderOnly() {
        assertThat(office(leader).sign()).isEqualTo("signed");
        assertThat(office(follower).sign()).isNull();
        office(leader).store(1, () -> {});
        office(follower).store(2, () -> {});
        assertThat(stored()).isOne();
    }

    @Test
    void commitIsRefusedIfTheLeadershipWasLostMeanwhile() {
        assertThatThrownBy(() -> office(leader).store(1, () -> other.age("leader:boss")))
                .isInstanceOf(LockLostException.class);
        assertThat(stored()).isZero();
    }

    @Test
    void commitIsRefusedIfTheLeadershipWasYieldedMeanwhile() {
        assertThatThrownBy(() -> office(leader).store(1, () -> {
                    Thread yielding = new Thread(election(leader)::yieldLeadership);
                    yielding.start();
                    await().until(election(follower)::isLeader);
                }))
                .isInstanceOf(LockLostException.class);
        assertThat(stored()).isZero();
        office(follower).store(2, () -> {});
        assertThat(stored()).isOne();
    }

    @Test
    void closingHandsOverWithinASecondThoughTheTtlIsLong() {
        long term = election(leader).term();
        await().until(() -> office(leader).heard().size() == 1);
        Office former = office(leader);
        leader.close();
        long closed = System.nanoTime();
        await().pollInterval(ofMillis(10)).until(election(follower)::isLeader);
        assertThat(System.nanoTime() - closed).isLessThan(1_000_000_000L);
        assertThat(election(follower).term()).isGreaterThan(term);
        await().untilAsserted(() -> assertThat(office(follower).heard())
                .containsExactly(new LeadershipEvent(
                        "boss", Transition.PROMOTED, election(follower).term())));
        assertThat(former.heard()).startsWith(new LeadershipEvent("boss", Transition.PROMOTED, term));
    }

    @Test
    void leaderAmongRowLocksHoldsALease() {
        try (ConfigurableApplicationContext rowLocks = new TestApplication(schema)
                .withoutWeb()
                .with("rowlock.strategy", "row-lock")
                .with("rowlock.leader.roles.clerk.enabled", "true")
                .start()) {
            LeaderElection clerk = rowLocks.getBean(LeaderElection.class);
            await().until(clerk::isLeader);
            assertThat(clerk.leader()).isPresent();
            assertThat(other.canLock("leader:clerk")).isFalse();
        }
    }

    @Test
    void leadershipIsGivenBackWhileTheWebServerStillAnswers() {
        leader.close();
        follower.close();
        var web = (ServletWebServerApplicationContext) new TestApplication(schema, Office.class)
                .with("rowlock.leader.roles.boss.ttl", "30s")
                .start();
        await().until(election(web)::isLeader);
        List<Boolean> seen = new CopyOnWriteArrayList<>();
        web.getBeanFactory().registerSingleton("late", new org.springframework.context.SmartLifecycle() {
            @Override
            public void start() {}

            @Override
            public void stop() {
                seen.add(other.canLock("leader:boss"));
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
        assertThat(seen).containsExactly(true);
    }

    static class Office {
        private final List<LeadershipEvent> heard = new CopyOnWriteArrayList<>();
        private final JdbcTemplate jdbc;

        Office(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @LeaderOnly("boss")
        public String sign() {
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
