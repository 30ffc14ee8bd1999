package io.rowlock.recipes.dbscheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.task.Task;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.recipes.Application;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.ServerFlavor;
import io.rowlock.test.database.TestSchema;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** A task whose account another part of the application works on. */
@OnServer(ServerFlavor.MYSQL)
class DbSchedulerRecipeTests {
    @Test
    @SuppressWarnings("unchecked")
    void taskThatFindsTheLockBusyRunsLater(DatabaseServer server) {
        try (TestSchema schema = server.createSchema()) {
            JdbcTemplate jdbc = new JdbcTemplate(schema.dataSource());
            jdbc.execute("CREATE TABLE settled (account VARCHAR(20))");
            jdbc.execute("""
                    CREATE TABLE scheduled_tasks (task_name VARCHAR(100) NOT NULL, task_instance VARCHAR(100) NOT NULL, task_data BLOB,
                      execution_time TIMESTAMP(6) NOT NULL, picked BOOLEAN NOT NULL, picked_by VARCHAR(50), last_success TIMESTAMP(6) NULL,
                      last_failure TIMESTAMP(6) NULL, consecutive_failures INT, last_heartbeat TIMESTAMP(6) NULL, version BIGINT NOT NULL,
                      priority SMALLINT, PRIMARY KEY (task_name, task_instance))""");
            try (ConfigurableApplicationContext node =
                    new Application(schema, Settling.class, Accounts.class, Schedulers.class).start()) {
                LockClient locks = node.getBean(LockClient.class);
                OneTimeTask<Void> settle = node.getBean(OneTimeTask.class);
                try (HeldLock transfer = locks.acquire(LockRequest.exclusive("account:7"))) {
                    node.getBean(Scheduler.class).scheduleIfNotExists(settle.instance("7"), Instant.now());
                    await().atMost(Duration.ofMinutes(1))
                            .until(() -> !jdbc.queryForList(
                                            "SELECT 1 FROM scheduled_tasks WHERE consecutive_failures > 0")
                                    .isEmpty());
                    assertThat(transfer.isHeld()).isTrue();
                    assertThat(settled(jdbc)).isZero();
                }
                await().atMost(Duration.ofMinutes(1))
                        .until(() -> jdbc.queryForList("SELECT 1 FROM scheduled_tasks")
                                .isEmpty());
                assertThat(settled(jdbc)).isOne();
            }
        }
    }

    private static Integer settled(JdbcTemplate jdbc) {
        return jdbc.queryForObject("SELECT COUNT(*) FROM settled WHERE account = '7'", Integer.class);
    }

    /** Its starter for Spring Boot 4 does the same. */
    @Configuration(proxyBeanMethods = false)
    static class Schedulers {
        @Bean(initMethod = "start", destroyMethod = "stop")
        Scheduler scheduler(DataSource dataSource, List<Task<?>> tasks) {
            return Scheduler.create(dataSource, tasks)
                    .pollingInterval(Duration.ofMillis(200))
                    .build();
        }
    }
}
