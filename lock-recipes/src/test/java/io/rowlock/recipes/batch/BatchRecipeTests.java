package io.rowlock.recipes.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rowlock.LockNotAcquiredException;
import io.rowlock.recipes.Application;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.ServerFlavor;
import io.rowlock.test.database.TestSchema;
import java.time.LocalDate;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.builder.JobBuilder;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.builder.StepBuilder;
import org.springframework.batch.infrastructure.repeat.RepeatStatus;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;

/** An instance is executed once at a time, also after the node of the first was paused for longer than its lock lasts. */
@OnServer(ServerFlavor.MYSQL)
class BatchRecipeTests {
    private static final LocalDate MONDAY = LocalDate.of(2026, 11, 23);
    private static final LocalDate TUESDAY = MONDAY.plusDays(1);
    private static TestSchema schema;
    private static JdbcTemplate jdbc;
    private static ConfigurableApplicationContext one;
    private static ConfigurableApplicationContext two;

    @BeforeAll
    static void start(DatabaseServer server) {
        schema = server.createSchema();
        jdbc = new JdbcTemplate(schema.dataSource());
        jdbc.execute("CREATE TABLE invoice (day DATE)");
        one = node();
        two = node();
    }

    private static ConfigurableApplicationContext node() {
        return new Application(schema, Jobs.class)
                .using("org.springframework.boot.batch.")
                .with("spring.batch.jdbc.initialize-schema", "always")
                .with("spring.batch.job.enabled", "false")
                .start();
    }

    @AfterAll
    static void stop() {
        if (schema != null) {
            one.close();
            two.close();
            schema.close();
        }
    }

    @AfterEach
    void goOn() {
        one.getBean(Pause.class).goOn.countDown();
    }

    @Test
    void secondNodeIsRefusedWhileTheFirstRuns() throws Exception {
        CompletableFuture<JobExecution> first = startAndPause(MONDAY);
        assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> run(two, MONDAY));
        one.getBean(Pause.class).goOn.countDown();
        assertThat(first.get(1, TimeUnit.MINUTES).getStatus()).isEqualTo(BatchStatus.COMPLETED);
        assertThat(invoices(MONDAY)).isOne();
    }

    @Test
    void executionOfAPausedNodeIsRecoveredAndCommitsNothingMore() throws Exception {
        CompletableFuture<JobExecution> paused = startAndPause(TUESDAY);
        Application.expire(schema, "invoices:" + TUESDAY);
        assertThat(run(two, TUESDAY).getStatus()).isEqualTo(BatchStatus.COMPLETED);

        one.getBean(Pause.class).goOn.countDown();
        Throwable failure = catchThrowable(
                () -> assertThat(paused.get(1, TimeUnit.MINUTES).getStatus()).isNotEqualTo(BatchStatus.COMPLETED));
        assertThat(failure)
                .satisfiesAnyOf(
                        none -> assertThat(none).isNull(),
                        refused -> assertThat(refused).rootCause().hasMessageContaining("is lost"));
        assertThat(invoices(TUESDAY)).isOne();
        assertThat(jdbc.queryForList(
                        "SELECT e.status FROM BATCH_JOB_EXECUTION e JOIN BATCH_JOB_EXECUTION_PARAMS p USING (JOB_EXECUTION_ID)"
                                + " WHERE p.parameter_value = ? ORDER BY e.job_execution_id",
                        String.class,
                        TUESDAY.toString()))
                .containsExactly("FAILED", "COMPLETED");
    }

    private static CompletableFuture<JobExecution> startAndPause(LocalDate day) throws Exception {
        Pause pause = one.getBean(Pause.class).begin();
        CompletableFuture<JobExecution> running = new CompletableFuture<>();
        new Thread(() -> {
                    try {
                        running.complete(run(one, day));
                    } catch (Throwable e) {
                        running.completeExceptionally(e);
                    }
                })
                .start();
        assertThat(pause.reached.await(1, TimeUnit.MINUTES)).isTrue();
        return running;
    }

    private static JobExecution run(ConfigurableApplicationContext node, LocalDate day) throws Exception {
        return node.getBean(Invoicing.class).run(day);
    }

    private static Integer invoices(LocalDate day) {
        return jdbc.queryForObject("SELECT COUNT(*) FROM invoice WHERE day = ?", Integer.class, day);
    }

    /** Holds a step up after its work and before its commit. */
    static class Pause {
        private volatile CountDownLatch reached = new CountDownLatch(0);
        private volatile CountDownLatch goOn = new CountDownLatch(0);

        Pause begin() {
            reached = new CountDownLatch(1);
            goOn = new CountDownLatch(1);
            return this;
        }

        void here() throws InterruptedException {
            reached.countDown();
            assertThat(goOn.await(1, TimeUnit.MINUTES)).isTrue();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Invoicing.class)
    static class Jobs {
        @Bean
        Pause pause() {
            return new Pause();
        }

        @Bean
        Job invoices(
                JobRepository repository, PlatformTransactionManager transactions, JdbcTemplate rows, Pause pause) {
            Step step = new StepBuilder("write", repository)
                    .tasklet(
                            (contribution, chunk) -> {
                                LocalDate day = contribution
                                        .getStepExecution()
                                        .getJobParameters()
                                        .getLocalDate("day");
                                rows.update("INSERT INTO invoice VALUES (?)", day);
                                pause.here();
                                return RepeatStatus.FINISHED;
                            },
                            transactions)
                    .build();
            return new JobBuilder("invoices", repository).start(step).build();
        }
    }
}
