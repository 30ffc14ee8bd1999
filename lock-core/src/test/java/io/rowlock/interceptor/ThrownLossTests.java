package io.rowlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.LockLostException;
import io.rowlock.OnLost;
import io.rowlock.annotation.DistributedLock;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The call of a method with {@code onLost = THROW}, whatever it returns. */
class ThrownLossTests {
    private final GuardedContext context = new GuardedContext(Jobs.class);
    private final RecordingLockClient client = context.client;
    private final Jobs jobs = context.bean(Jobs.class);

    @AfterEach
    void close() {
        context.close();
    }

    private static void endsWithTheLoss(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining("\"job\" (token 1) is lost")
                .hasMessageContaining("before it was released");
    }

    @Test
    void callEndsWithTheLossAfterItsBody() {
        client.lost = true;
        endsWithTheLoss(() -> jobs.call(() -> client.log.add("body")));
        assertThat(client.log).containsExactly("lock job", "body", "release");
    }

    @Test
    void callThatKeptItsLockReturns() throws IOException {
        assertThat(jobs.call(() -> "v")).isEqualTo("v");
    }

    @Test
    void exceptionOfTheBodyCarriesTheLoss() {
        client.lost = true;
        IOException failure = new IOException("body");
        assertThatThrownBy(() -> jobs.call(() -> {
                    throw failure;
                }))
                .isSameAs(failure);
        assertThat(failure.getSuppressed())
                .hasOnlyElementsOfType(LockLostException.class)
                .hasSize(1);
    }

    @Test
    void refusedCommitIsNotToldTwice() {
        client.lost = true;
        LockLostException refused = new LockLostException("job", 1, "the commit was refused");
        assertThatThrownBy(() -> jobs.call(() -> {
                    throw refused;
                }))
                .isSameAs(refused);
        assertThat(refused.getSuppressed()).isEmpty();
    }

    @Test
    void callThatOnlyNotifiesReturns() {
        client.lost = true;
        assertThat(jobs.notifying()).isEqualTo("v");
    }

    @Test
    void futureEndsWithTheLoss() {
        client.lost = true;
        CompletableFuture<String> body = new CompletableFuture<>();
        CompletableFuture<String> result = jobs.future(body);
        assertThat(result).isNotDone();
        body.complete("v");
        assertThat(result)
                .failsWithin(0, TimeUnit.SECONDS)
                .withThrowableThat()
                .withCauseInstanceOf(LockLostException.class);
    }

    @Test
    void futureThatWasDoneEndsWithTheLoss() {
        client.lost = true;
        assertThat(jobs.future(CompletableFuture.completedFuture("v")))
                .failsWithin(0, TimeUnit.SECONDS)
                .withThrowableThat()
                .withCauseInstanceOf(LockLostException.class);
    }

    @Test
    void publisherEndsWithTheLoss() {
        client.lost = true;
        endsWithTheLoss(() -> jobs.mono().block());
        endsWithTheLoss(() -> jobs.flux().blockLast());
        assertThat(jobs.flux().take(1).blockLast()).as("cancelled").isEqualTo("a");
    }

    @FunctionalInterface
    interface Body<T> {
        T run() throws IOException;
    }

    static class Jobs {
        @DistributedLock(name = "job", onLost = OnLost.THROW)
        public <T> T call(Body<T> body) throws IOException {
            return body.run();
        }

        @DistributedLock("job")
        public String notifying() {
            return "v";
        }

        @DistributedLock(name = "job", onLost = OnLost.THROW)
        public CompletableFuture<String> future(CompletableFuture<String> body) {
            return body;
        }

        @DistributedLock(name = "job", onLost = OnLost.THROW)
        public Mono<String> mono() {
            return Mono.just("v");
        }

        @DistributedLock(name = "job", onLost = OnLost.THROW)
        public Flux<String> flux() {
            return Flux.just("a", "b");
        }
    }
}
