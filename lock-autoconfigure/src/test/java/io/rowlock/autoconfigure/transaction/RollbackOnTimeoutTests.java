package io.rowlock.autoconfigure.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.KillableServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A server that rolls a whole transaction back when one of its statements has waited for a row for too long. */
@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
class RollbackOnTimeoutTests {
    private static KillableServer server;
    private static FreshSchema schema;
    private static ConfigurableApplicationContext node;
    private static ConfigurableApplicationContext other;

    @BeforeAll
    static void start() throws Exception {
        server = KillableServer.start("--innodb-rollback-on-timeout=ON");
        schema = FreshSchema.on(server.server());
        schema.jdbc().execute("CREATE TABLE counter (name VARCHAR(50) PRIMARY KEY, value INT NOT NULL)");
        schema.jdbc().update("INSERT INTO counter VALUES ('work', 0), ('annotated', 0), ('late', 0)");
        node = new TestApplication(schema, Counters.class).start();
        other = new TestApplication(schema, Counters.class).start();
    }

    @AfterAll
    static void stop() {
        node.close();
        other.close();
        schema.close();
        server.close();
    }

    private interface Body {
        void run() throws Exception;
    }

    /** While a transaction of the other node has the lock. */
    private static void whileBusy(String key, Body body) throws Exception {
        Counters counters = other.getBean(Counters.class);
        CountDownLatch taken = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<?> holder = CompletableFuture.runAsync(() -> {
            try {
                counters.locked(key, () -> {
                    taken.countDown();
                    end.await();
                    return null;
                });
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        taken.await();
        try {
            body.run();
        } finally {
            end.countDown();
            holder.join();
        }
    }

    private static int value(String key) {
        return schema.jdbc().queryForObject("SELECT value FROM counter WHERE name = ?", Integer.class, key);
    }

    @Test
    void workThatWentBeforeABusyLockIsNotCommittedInPart() throws Exception {
        Counters counters = node.getBean(Counters.class);
        LockRequest request = LockRequest.exclusive(Counters.NAME + ":work")
                .withStrategy("transaction")
                .withWaitTime(Duration.ofMillis(1_500));
        AtomicInteger busy = new AtomicInteger();
        whileBusy(
                "work",
                () -> assertThatExceptionOfType(LockNotAcquiredException.class)
                        .isThrownBy(() -> counters.readCommitted(() -> {
                            counters.add("work");
                            try {
                                counters.lock(request);
                            } catch (LockNotAcquiredException e) {
                                busy.incrementAndGet(); // swallowed: the work goes on without the lock
                            }
                            return counters.add("work");
                        })));
        assertThat(busy).hasValue(1);
        assertThat(value("work")).isZero();
    }

    @Test
    void busyCallDoesNotRun() throws Exception {
        Counters counters = node.getBean(Counters.class);
        whileBusy(
                "annotated",
                () -> assertThatExceptionOfType(LockNotAcquiredException.class)
                        .isThrownBy(() -> counters.lockedAfterAWait("annotated", () -> counters.add("annotated")))
                        .withMessageContaining("rolled the transaction back"));
        assertThat(value("annotated")).isZero();
        counters.lockedAfterAWait("annotated", () -> counters.add("annotated"));
        assertThat(value("annotated")).isOne();
    }

    @Test
    void commitThatFindsOutWhereItIsKeepsWhatWasWritten() {
        try (var late = new TestApplication(schema, Counters.class)
                .with("rowlock.strategy", "row-lock")
                .start()) {
            TransactionTemplate transaction = new TransactionTemplate(late.getBean(PlatformTransactionManager.class));
            try (HeldLock lock = late.getBean(LockClient.class).acquire(LockRequest.exclusive("late"))) {
                transaction.executeWithoutResult(
                        status -> late.getBean(Counters.class).add("late"));
                assertThat(lock.isHeld()).isTrue();
            }
        }
        assertThat(value("late")).isOne();
    }
}
