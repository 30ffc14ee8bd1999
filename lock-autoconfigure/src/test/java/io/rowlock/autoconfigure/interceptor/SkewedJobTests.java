package io.rowlock.autoconfigure.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.annotation.OncePerCluster;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.DatabaseServer;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.task.SimpleAsyncTaskSchedulerCustomizer;
import org.springframework.boot.task.ThreadPoolTaskSchedulerCustomizer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** A job of two nodes whose clocks differ by more than it takes to run. */
@OnEachServer
class SkewedJobTests {
    private static final int PERIOD_SECONDS = 6;

    @Test
    void jobRunsOnceAFiring(DatabaseServer server) {
        runsOnceAFiring(server, false);
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void jobRunsOnceAFiringOnVirtualThreads(DatabaseServer server) {
        runsOnceAFiring(server, true);
    }

    private static void runsOnceAFiring(DatabaseServer server, boolean virtualThreads) {
        FreshSchema schema = FreshSchema.on(server);
        schema.jdbc().execute("CREATE TABLE attempt (firing BIGINT, node VARCHAR(9), PRIMARY KEY (firing, node))");
        schema.jdbc().execute("CREATE TABLE run (firing BIGINT, node VARCHAR(9))");
        try (ConfigurableApplicationContext early = node(schema, "early", "0s", virtualThreads);
                ConfigurableApplicationContext late = node(schema, "late", "-2s", virtualThreads)) {
            assertThat(early.isActive() && late.isActive()).isTrue();
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> firingsOfBoth(schema).size() >= 3);
        }
        List<Long> firings = firingsOfBoth(schema);
        for (Long firing : firings) {
            assertThat(schema.jdbc().queryForList("SELECT node FROM run WHERE firing = ?", String.class, firing))
                    .as("firing %d", firing)
                    .hasSize(1);
        }
        schema.close();
    }

    /** The firings at which both nodes asked for the lock. */
    private static List<Long> firingsOfBoth(FreshSchema schema) {
        return schema.jdbc()
                .queryForList(
                        "SELECT firing FROM attempt GROUP BY firing HAVING COUNT(*) = 2 ORDER BY firing", Long.class);
    }

    private static ConfigurableApplicationContext node(
            FreshSchema schema, String name, String skew, boolean virtualThreads) {
        return new TestApplication(schema, Jobs.class, Job.class)
                .with("node", name)
                .with("skew", skew)
                .with("spring.threads.virtual.enabled", virtualThreads)
                .start();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Jobs {
        @Bean
        Clock nodeClock(@Value("${skew}") Duration skew) {
            return Clock.offset(Clock.systemUTC(), skew);
        }

        @Bean
        ThreadPoolTaskSchedulerCustomizer poolWithNodeClock(Clock nodeClock) {
            return scheduler -> scheduler.setClock(nodeClock);
        }

        @Bean
        SimpleAsyncTaskSchedulerCustomizer virtualThreadsWithNodeClock(Clock nodeClock) {
            return scheduler -> scheduler.setClock(nodeClock);
        }

        @Bean
        Timetable timetable(Job job, JdbcTemplate jdbc, Clock nodeClock, @Value("${node}") String node) {
            return new Timetable(job, jdbc, nodeClock, node);
        }
    }

    /** Fires on the node's own clock. */
    static class Timetable {
        private final Job job;
        private final JdbcTemplate jdbc;
        private final Clock clock;
        private final String node;

        Timetable(Job job, JdbcTemplate jdbc, Clock clock, String node) {
            this.job = job;
            this.jdbc = jdbc;
            this.clock = clock;
            this.node = node;
        }

        @Scheduled(cron = "*/" + PERIOD_SECONDS + " * * * * *")
        public void fire() {
            long firing = clock.instant().getEpochSecond() / PERIOD_SECONDS;
            job.nightly(firing, node);
            jdbc.update("INSERT INTO attempt VALUES (?, ?)", firing, node);
        }
    }

    static class Job {
        private final JdbcTemplate jdbc;

        Job(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @OncePerCluster(holdAtLeast = "4s")
        public void nightly(long firing, String node) {
            jdbc.update("INSERT INTO run VALUES (?, ?)", firing, node);
        }
    }
}
