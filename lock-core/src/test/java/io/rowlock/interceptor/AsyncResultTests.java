package io.rowlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rowlock.LockStoreException;
import io.rowlock.annotation.DistributedLock;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.MvcResult;
import org.springframework.test.web.servlet.request.MockMvcRequestBuilders;
import org.springframework.test.web.servlet.result.MockMvcResultMatchers;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;

class AsyncResultTests {
    private final GuardedContext context = new GuardedContext(Jobs.class);
    private final RecordingLockClient client = context.client;
    private final Jobs jobs = context.bean(Jobs.class);

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    void callableKeepsTheLockUntilItWasCalled() throws Exception {
        Callable<String> task = jobs.callable(() -> {
            client.log.add("body");
            return "v";
        });
        assertThat(client.log).containsExactly("lock job", "detach");
        assertThat(task.call()).isEqualTo("v");
        assertThat(task.call()).isEqualTo("v");
        assertThat(client.log).containsExactly("lock job", "detach", "body", "release", "body");
    }

    @Test
    void callableThatFailsReleases() {
        IOException failure = new IOException("body");
        Callable<String> task = jobs.callable(() -> {
            throw failure;
        });
        assertThatThrownBy(task::call).isSameAs(failure);
        assertThat(client.log).containsExactly("lock job", "detach", "release");
    }

    @Test
    void callableThatIsNeverCalledReleasesWhenItIsCollected() {
        jobs.callable(() -> "v");
        await().untilAsserted(() -> {
            System.gc();
            assertThat(client.log).containsExactly("lock job", "detach", "release");
        });
    }

    @Test
    void deferredResultKeepsTheLockUntilItsRequestHasEnded() throws Exception {
        MockMvc mvc = MockMvcBuilders.standaloneSetup(new Requests(jobs)).build();
        MvcResult started = mvc.perform(MockMvcRequestBuilders.get("/deferred"))
                .andExpect(MockMvcResultMatchers.request().asyncStarted())
                .andReturn();
        assertThat(client.log).containsExactly("lock job", "detach");
        jobs.pending().setResult("v");
        mvc.perform(MockMvcRequestBuilders.asyncDispatch(started))
                .andExpect(MockMvcResultMatchers.content().string("v"));
        assertThat(client.log).containsExactly("lock job", "detach", "release");
    }

    @Test
    void asyncTaskKeepsTheLockUntilItHasRun() throws Exception {
        MockMvc mvc = MockMvcBuilders.standaloneSetup(new Requests(jobs)).build();
        MvcResult started = mvc.perform(MockMvcRequestBuilders.get("/task"))
                .andExpect(MockMvcResultMatchers.request().asyncStarted())
                .andReturn();
        assertThat(client.log).containsExactly("lock job", "detach");
        jobs.go();
        mvc.perform(MockMvcRequestBuilders.asyncDispatch(started))
                .andExpect(MockMvcResultMatchers.content().string("v"));
        assertThat(client.log).containsExactly("lock job", "detach", "release");
    }

    @Test
    void deferredResultOutsideOfARequestReleasesAndIsRefused() {
        assertThatThrownBy(jobs::deferred)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("handles no web request")
                .hasMessageContaining("DeferredResult");
        assertThat(client.log).containsExactly("lock job", "detach", "release");
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
    void cancellationIsPassedOnAndReleases() {
        CompletableFuture<String> body = new CompletableFuture<>();
        CompletableFuture<String> result = jobs.future(body);
        assertThat(result.cancel(true)).isTrue();
        assertThat(body).isCancelled();
        assertThat(result).isCancelled();
        assertThat(client.log).containsExactly("lock job", "detach", "release");
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
    void plainFutureIsAwaitedOnADaemonThread() {
        FutureTask<String> body = new FutureTask<>(() -> "v");
        assertThat(jobs.plain(body)).isSameAs(body);
        assertThat(client.log).containsExactly("lock job", "detach");
        body.run();
        await().untilAsserted(() -> assertThat(client.log).endsWith("release"));
        assertThat(client.closingThread).isNotNull().satisfies(thread -> {
            assertThat(thread.getName()).startsWith("rowlock-async-");
            assertThat(thread.isDaemon()).isTrue();
        });
    }

    @Test
    void plainFutureThatFailsOrIsCancelledReleases() {
        FutureTask<String> failing = new FutureTask<>(() -> {
            throw new IOException("body");
        });
        assertThat(jobs.plain(failing)).isSameAs(failing);
        failing.run();
        await().untilAsserted(() -> assertThat(client.log).endsWith("release"));
        client.log.clear();
        jobs.plain(new FutureTask<>(() -> "v")).cancel(true);
        await().untilAsserted(() -> assertThat(client.log).endsWith("release"));
    }

    static class OwnFuture extends CompletableFuture<String> {}

    static class Jobs {
        private final DeferredResult<String> deferred = new DeferredResult<>();
        private final CountDownLatch go = new CountDownLatch(1);

        public DeferredResult<String> pending() {
            return deferred;
        }

        public void go() {
            go.countDown();
        }

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

        @DistributedLock("job")
        public Future<String> plain(Future<String> body) {
            return body;
        }

        @DistributedLock("job")
        public Callable<String> callable(Callable<String> body) {
            return body;
        }

        @DistributedLock("job")
        public DeferredResult<String> deferred() {
            return deferred;
        }

        @DistributedLock("job")
        public WebAsyncTask<String> task() {
            return new WebAsyncTask<>(() -> {
                go.await();
                return "v";
            });
        }
    }

    @RestController
    static class Requests {
        private final Jobs jobs;

        Requests(Jobs jobs) {
            this.jobs = jobs;
        }

        @GetMapping("/deferred")
        DeferredResult<String> deferred() {
            return jobs.deferred();
        }

        @GetMapping("/task")
        WebAsyncTask<String> task() {
            return jobs.task();
        }
    }
}
