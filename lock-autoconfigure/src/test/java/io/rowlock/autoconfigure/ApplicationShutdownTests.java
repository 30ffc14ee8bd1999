package io.rowlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.Http;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.autoconfigure.database.LockPools;
import io.rowlock.test.OnServer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** What becomes of locks when an application with a web server stops. */
@OnServer
@Timeout(60)
class ApplicationShutdownTests {
    @RegisterExtension
    private static final FreshSchema schema = new FreshSchema();

    @Test
    void locksEndAfterTheLastRequest() {
        assertThat(RowlockClientLifecycle.PHASE)
                .isLessThan(WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE)
                .isLessThan(new ThreadPoolTaskScheduler().getPhase())
                .isLessThan(Integer.MAX_VALUE / 2) // pollers of Spring Integration
                .isGreaterThan(0);
    }

    @Test
    void requestsAndBodiesMayFinishAndNothingIsLeft() throws Exception {
        ConfigurableApplicationContext context =
                new TestApplication(schema, Work.class).withWeb().start();
        LockClient locks = context.getBean(LockClient.class);
        HeldLock body = locks.acquire(LockRequest.exclusive("body"));
        Work work = context.getBean(Work.class);
        Http http = new Http(context);
        CompletableFuture<Http.Answer> request = CompletableFuture.supplyAsync(() -> http.getFromApplication("work"));
        work.entered.await();
        CompletableFuture<Void> close = CompletableFuture.runAsync(context::close);
        assertThat(request.get().body()).isEqualTo("done");
        await().until(() -> isRefused(locks));
        assertThat(body.isHeld()).isTrue();
        assertThat(close).isNotDone();
        body.close();
        close.get();
        assertThat(live()).isZero();
        assertThat(schema.jdbc()
                        .queryForList(
                                "SELECT status FROM rowlock_lock_log WHERE lock_key IN ('body', 'request')",
                                String.class))
                .containsExactly("RELEASED", "RELEASED");
    }

    private static boolean isRefused(LockClient locks) {
        try {
            locks.tryAcquire(LockRequest.exclusive("new")).ifPresent(HeldLock::close);
            return false;
        } catch (LockStoreException ex) {
            assertThat(ex).hasMessageContaining("the application shuts down");
            return true;
        }
    }

    @Test
    void whatDoesNotFinishInTimeIsReleasedByItsToken() {
        ConfigurableApplicationContext context = new TestApplication(schema)
                .with("spring.lifecycle.timeout-per-shutdown-phase", "500ms")
                .start();
        HeldLock stuck = context.getBean(LockClient.class).acquire(LockRequest.exclusive("stuck"));
        List<HikariDataSource> pools = context.getBean(LockPools.class).all();
        context.close();
        assertThat(pools).allMatch(HikariDataSource::isClosed);
        assertThat(stuck.isHeld()).isFalse();
        assertThat(live()).isZero();
        assertThat(schema.jdbc()
                        .queryForObject(
                                "SELECT status FROM rowlock_lock_log WHERE lock_key = 'stuck' AND fence = ?",
                                String.class,
                                stuck.fencingToken()))
                .isEqualTo("RELEASED");
    }

    @Test
    void stoppedContextStartsAgain() {
        try (ConfigurableApplicationContext context = new TestApplication(schema).start()) {
            LockClient locks = context.getBean(LockClient.class);
            context.stop();
            assertThat(isRefused(locks)).isTrue();
            context.start();
            assertThat(isRefused(locks)).isFalse();
        }
    }

    private static int live() {
        return schema.jdbc()
                .queryForObject(
                        "SELECT COUNT(*) FROM rowlock_locks_held WHERE lock_key NOT LIKE 'rowlock:%'", Integer.class);
    }

    @RestController
    static class Work {
        final CountDownLatch entered = new CountDownLatch(1);
        final CountDownLatch closing = new CountDownLatch(1);
        private final LockClient locks;

        Work(LockClient locks) {
            this.locks = locks;
        }

        @GetMapping("/work")
        String work() throws InterruptedException {
            entered.countDown();
            closing.await();
            TimeUnit.MILLISECONDS.sleep(200); // what is stopped without waiting for this request, is stopped by now
            try (HeldLock lock = locks.acquire(LockRequest.exclusive("request"))) {
                return lock.isHeld() ? "done" : "lost";
            }
        }

        @EventListener(ContextClosedEvent.class)
        void closing() {
            closing.countDown();
        }
    }
}
