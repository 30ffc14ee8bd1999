package io.rowlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.HeldLock;
import io.rowlock.LockInterruptedException;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.Http;
import io.rowlock.autoconfigure.application.OtherNode;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.DatabaseServer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.aspectj.lang.annotation.AfterReturning;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.server.ResponseStatusException;

/** What a web client gets when a request needs a lock that is busy, lost or cannot be asked for. */
@OnServer
class BusyLockAnswerTests {
    private static FreshSchema schema;
    private static OtherNode other;
    private static HeldLock held;
    private static ConfigurableApplicationContext node;

    @BeforeAll
    static void start(DatabaseServer server) {
        schema = FreshSchema.on(server);
        other = OtherNode.on(schema);
        held = other.lock("order:secret");
        node = application(Web.class).start();
    }

    @AfterAll
    static void stop() {
        if (node != null) {
            node.close();
        }
        if (held != null) {
            held.close();
            other.close();
            schema.close();
        }
    }

    private static LockNotAcquiredException busy() {
        return new LockNotAcquiredException("order:1", Duration.ZERO, null);
    }

    private static Http.Answer answer(TestApplication application, String path) {
        try (var own = application.start()) {
            return new Http(own).getFromApplication(path);
        }
    }

    private static TestApplication application(Class<?>... additional) {
        return new TestApplication(schema, additional).withWeb();
    }

    @Test
    void busyLockIsAConflictThatSaysWhenToTryAgain() {
        Http.Answer once = new Http(node).getFromApplication("once");
        assertThat(once.status()).isEqualTo(409);
        assertThat(once.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(once.headers().firstValue("Retry-After")).contains("1");
        assertThat(once.<String>at("$.title")).isEqualTo("Conflict");
        assertThat(once.<String>at("$.detail")).endsWith("Try again in 1 s.");
        assertThat(once.body()).doesNotContain("secret").doesNotContain("other@");
        Http.Answer patient = new Http(node).getFromApplication("patient");
        assertThat(patient.status()).isEqualTo(409);
        assertThat(patient.headers().firstValue("Retry-After")).contains("2");
        assertThat(new Http(node).getFromApplication("interrupted").status()).isEqualTo(500);
    }

    @Test
    void refusedCommitIsAConflict() {
        Http.Answer answer = new Http(node).getFromApplication("overtaken");
        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(answer.<String>at("$.detail")).endsWith("before you try again.");
        assertThat(answer.body()).doesNotContain("overtaken-key");
    }

    @Test
    void lockTablesThatCannotBeAskedAreAnUnavailableService() {
        schema.jdbc().execute("RENAME TABLE rowlock_lock TO rowlock_elsewhere");
        Http.Answer answer;
        try {
            answer = new Http(node).getFromApplication("free");
        } finally {
            schema.jdbc().execute("RENAME TABLE rowlock_elsewhere TO rowlock_lock");
        }
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(answer.<String>at("$.title")).isEqualTo("Service Unavailable");
        assertThat(answer.body()).doesNotContain("rowlock_lock", "SQL");
        assertThat(new Http(node).getFromApplication("free").status()).isEqualTo(200);
    }

    @Test
    void noAnswerIsGivenIfTheApplicationAnswersItself() {
        try (var own = application(Web.class).with("rowlock.web.busy-status", 0).start()) {
            assertThat(new Http(own).getFromApplication("overtaken").status()).isEqualTo(500);
            assertThat(new Http(own).getFromApplication("once").status()).isEqualTo(500);
        }
    }

    @Test
    void statusThatIsNoNumberIsRefusedByItsName() {
        assertThatThrownBy(() -> application(Web.class)
                        .with("rowlock.web.busy-status", "4'9")
                        .start()
                        .close())
                .hasStackTraceContaining("Failed to bind properties under 'rowlock.web.busy-status'")
                .hasStackTraceContaining("\"4'9\"");
        try (var own =
                application(Web.class).with("rowlock.web.busy-status", "00").start()) {
            assertThat(new Http(own).getFromApplication("once").status()).isEqualTo(500);
        }
    }

    @Test
    void statusIsAProperty() {
        assertThat(answer(application(Web.class).with("rowlock.web.busy-status", 423), "once")
                        .status())
                .isEqualTo(423);
    }

    @Test
    void handlerOfTheApplicationWins() {
        assertThat(answer(application(Web.class, OwnAdvice.class), "once").status())
                .isEqualTo(HttpStatus.LOCKED.value());
    }

    @Test
    void statusOfAnExceptionOfTheApplicationWins() {
        Http http = new Http(node);
        assertThat(http.getFromApplication("translated").status()).isEqualTo(429);
        assertThat(http.getFromApplication("deep").status()).isEqualTo(429);
        assertThat(http.getFromApplication("gone").status()).isEqualTo(404);
        assertThat(http.getFromApplication("wrapped").status()).isEqualTo(409);
    }

    @Test
    void aspectOnExceptionHandlersIsPossible() {
        try (var own = application(Web.class, HandlersLog.class).start()) {
            assertThat(new Http(own).getFromApplication("once").status()).isEqualTo(409);
            assertThat(own.getBean(HandlersLog.class).answers).hasValue(1);
        }
    }

    @Aspect
    static class HandlersLog {
        final AtomicInteger answers = new AtomicInteger();

        @AfterReturning("@annotation(org.springframework.web.bind.annotation.ExceptionHandler)")
        void count() {
            answers.incrementAndGet();
        }
    }

    @Test
    void applicationWithoutWebHasNone() {
        try (var own = new TestApplication(schema, Web.class).start()) {
            assertThat(own.getBeansOfType(BusyLockAdvice.class)).isEmpty();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Orders.class)
    static class Web {}

    @RestController
    static class Orders {
        @GetMapping("/once")
        @DistributedLock(name = "order", key = "'secret'", waitTime = "0s")
        public String once() {
            return "done";
        }

        @GetMapping("/patient")
        @DistributedLock(name = "order", key = "'secret'", waitTime = "1100ms")
        public String patient() {
            return "done";
        }

        @GetMapping("/free")
        @DistributedLock("free")
        public String free() {
            return "done";
        }

        @GetMapping("/overtaken")
        @DistributedLock("overtaken-key")
        @Transactional
        public String overtaken() {
            other.takeOver("overtaken-key").close();
            return "done";
        }

        @GetMapping("/translated")
        public String translated() {
            throw new ResponseStatusException(HttpStatus.TOO_MANY_REQUESTS, "busy", busy());
        }

        @GetMapping("/deep")
        public String deep() {
            throw new IllegalStateException(new ResponseStatusException(HttpStatus.TOO_MANY_REQUESTS, "busy", busy()));
        }

        @GetMapping("/gone")
        public String gone() {
            throw new OrderGoneException(busy());
        }

        @GetMapping("/wrapped")
        public String wrapped() {
            throw new IllegalStateException(busy());
        }

        @GetMapping("/interrupted")
        public String interrupted() {
            throw new LockInterruptedException("order:secret", Duration.ZERO, new InterruptedException("test"));
        }
    }

    @ResponseStatus(HttpStatus.NOT_FOUND)
    static final class OrderGoneException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        OrderGoneException(Throwable cause) {
            super(cause);
        }
    }

    @RestControllerAdvice
    static class OwnAdvice {
        @ExceptionHandler
        @ResponseStatus(HttpStatus.LOCKED)
        String busy(LockNotAcquiredException busy) {
            return "locked";
        }
    }
}
