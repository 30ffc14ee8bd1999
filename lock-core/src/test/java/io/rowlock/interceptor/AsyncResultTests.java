package io.rowlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.LockStoreException;
import io.rowlock.annotation.DistributedLock;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import reactor.core.publisher.Mono;

class AsyncResultTests {
    private final GuardedContext context = new GuardedContext(Jobs.class);
    private final RecordingLockClient client = context.client;
    private final Jobs jobs = context.bean(Jobs.class);

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    void lockIsKeptUntilTheFutureCompletesAndReleasedBeforeTheCallerSeesIt() {
        CompletableFuture<String> body = new CompletableFuture<>();
        CompletableFuture<Void> seen = jobs.future(body).thenAccept(value -> client.log.add("seen " + value));
        assertThat(client.log).containsExactly("lock job", "detach");
        body.complete("v");
        assertThat(seen).isCompleted();
        assertThat(client.log).containsExactly("lock job", "detach", "release", "seen v");
    }

    @Test
    void completedOrMissingFutureReleasesAtOnceAndIsReturnedAsItIs() {
        CompletableFuture<String> done = CompletableFuture.completedFuture("v");
        assertThat(jobs.future(done)).isSameAs(done);
        assertThat(jobs.future(null)).isNull();
        assertThat(client.log).containsExactly("lock job", "release", "lock job", "release");
    }

    @Test
    void exceptionsLookAsIfThereWereNoLock() {
        IOException failure = new IOException("body");
        CompletableFuture<String> body = new CompletableFuture<>();
        CompletableFuture<String> result = jobs.future(body);
        client.closeFailure = new LockStoreException("down", null);
        body.completeExceptionally(failure);
        assertThatThrownBy(result::get).isInstanceOf(ExecutionException.class).hasCause(failure);
        assertThatThrownBy(result::join)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isSameAs(failure);
        assertThat(result.handle((value, thrown) -> thrown).join()).isSameAs(failure);
        assertThat(failure).hasSuppressedException(client.closeFailure);
    }

    @Test
    void resultSurvivesAFailedRelease() {
        CompletableFuture<String> body = new CompletableFuture<>();
        CompletableFuture<String> result = jobs.future(body);
        client.closeFailure = new LockStoreException("down", null);
        body.complete("v");
        assertThat(result).isCompletedWithValue("v");
    }

    @Test
    void callerGetsTheErrorThatEndsTheRelease() {
        client.closeError = new StackOverflowError("for the test");
        CompletableFuture<String> body = new CompletableFuture<>();
        CompletableFuture<String> result = jobs.future(body);
        body.complete("v");
        assertThat(result).isCompletedExceptionally();
        assertThatThrownBy(result::get).hasCause(client.closeError);
        CompletableFuture<String> failing = new CompletableFuture<>();
        CompletableFuture<String> failed = jobs.future(failing);
        IOException failure = new IOException("body");
        failing.completeExceptionally(failure);
        assertThat(failed).isCompletedExceptionally();
        assertThatThrownBy(failed::get).hasCause(failure);
    }

    /** Else it would be renewed for ever: no one has it. */
    @Test
    void lockWhoseDetachFillsTheStackIsLeftToItsTtl() {
        client.detaching = () -> {
            int unused = deeper(0);
        };
        assertThatExceptionOfType(StackOverflowError.class).isThrownBy(() -> jobs.future(new CompletableFuture<>()));
        assertThat(client.log).endsWith("leave to ttl").doesNotContain("release");
    }

    private static int deeper(int depth) {
        return depth == Integer.MAX_VALUE ? depth : deeper(depth + 1) + 1;
    }

    @Test
    void cancellationIsPassedOnAndLeavesTheLockToItsTtl() {
        CompletableFuture<String> body = new CompletableFuture<>();
        CompletableFuture<String> result = jobs.future(body);
        assertThat(result.cancel(true)).isTrue();
        assertThat(body).isCancelled();
        assertThat(result).isCancelled();
        assertThat(client.log)
                .startsWith("lock job", "detach")
                .endsWith("leave to ttl")
                .doesNotContain("release");
    }

    @Test
    void callerThatCompletesItsFutureDoesNotReleaseTheLock() {
        CompletableFuture<String> body = new CompletableFuture<>();
        jobs.future(body).complete("impatient");
        assertThat(client.log).doesNotContain("release");
        body.complete("v");
        assertThat(client.log).endsWith("release");
    }

    @Test
    void readOnlyStageKeepsTheLockAsWell() {
        CompletableFuture<String> body = new CompletableFuture<>();
        CompletionStage<String> result = jobs.stage(body.minimalCompletionStage());
        assertThat(result.toCompletableFuture().cancel(true)).isTrue();
        assertThat(client.log).doesNotContain("release");
        body.complete("v");
        assertThat(client.log).endsWith("release");
    }

    @Test
    void ownKindOfFutureIsReturnedAsItIs() {
        OwnFuture body = new OwnFuture();
        assertThat(jobs.own(body)).isSameAs(body);
        assertThat(client.log).doesNotContain("release");
        body.complete("v");
        assertThat(client.log).endsWith("release");
    }

    @Test
    void lockOfAStageThatTellsNobodyOfItsEndIsLeftToItsTtl() {
        DeafFuture deaf = new DeafFuture();
        assertThatThrownBy(() -> jobs.anything(deaf)).isSameAs(deaf.failure);
        assertThat(client.log).containsExactly("lock job", "detach", "detach", "leave to ttl");
        client.log.clear();
        deaf.complete("v");
        assertThatThrownBy(() -> jobs.future(deaf)).isSameAs(deaf.failure);
        assertThat(client.log).containsExactly("lock job", "detach", "leave to ttl");
    }

    @Test
    void lockOfAMinimumIsExtendedToItBeforeItIsLeftToItsTtl() {
        jobs.withMinimum(new CompletableFuture<>()).cancel(false);
        assertThat(client.log).endsWith("extend PT1H", "leave to ttl");
    }

    @Test
    void resultThatDoesNotTellWhenItsWorkEndsIsRefusedThoughTheDeclaredTypeIsOpen() {
        Callable<String> callable = () -> "v";
        for (Object unseen : List.of(
                new FutureTask<>(callable),
                callable,
                new DeferredResult<>(),
                new WebAsyncTask<>(callable),
                Stream.of("a"),
                List.of("a").iterator(),
                Mono.just("v"),
                new CompletableFuture<?>[] {new CompletableFuture<>()},
                new FutureTask<?>[0][])) {
            client.log.clear();
            assertThatThrownBy(() -> jobs.anything(unseen))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(
                            "Jobs.anything returned a " + unseen.getClass().getTypeName())
                    .hasMessageContaining("return CompletableFuture");
            assertThat(client.log).containsExactly("lock job", "detach", "leave to ttl");
            assertThatThrownBy(() -> jobs.generic(unseen)).hasMessageContaining("return CompletableFuture");
        }
    }

    @Test
    void futureOfAnOpenTypeKeepsTheLockUntilItCompletes() {
        CompletableFuture<String> body = new CompletableFuture<>();
        Object result = jobs.anything(body);
        assertThat(client.log).doesNotContain("release");
        body.complete("v");
        assertThat(client.log).endsWith("release");
        assertThat(result).isEqualTo(jobs.generic(result));
    }

    static class DeafFuture extends CompletableFuture<String> {
        final Error failure = new StackOverflowError("for the test");

        @Override
        public CompletableFuture<String> whenComplete(BiConsumer<? super String, ? super Throwable> action) {
            throw failure;
        }
    }

    static class OwnFuture extends CompletableFuture<String> {}

    static class Jobs {
        @DistributedLock("job")
        public @Nullable CompletableFuture<String> future(@Nullable CompletableFuture<String> body) {
            return body;
        }

        @DistributedLock("job")
        public CompletionStage<String> stage(CompletionStage<String> body) {
            return body;
        }

        @DistributedLock("job")
        public OwnFuture own(OwnFuture body) {
            return body;
        }

        @DistributedLock(name = "job", holdAtLeast = "1h")
        public CompletableFuture<String> withMinimum(CompletableFuture<String> body) {
            return body;
        }

        @DistributedLock("job")
        public Object anything(Object body) {
            return body;
        }

        @DistributedLock("job")
        public <T> T generic(T body) {
            return body;
        }
    }
}
