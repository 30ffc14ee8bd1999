package io.rowlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.client.RowlockClient;
import io.rowlock.client.SteeredStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Calls whose work may go on when nobody can see it any more: their lock is left to its ttl. */
class CallsThatGoOnTests {
    private static final String LONG = "1h";
    private static final String SHORT = "1s";

    private final SteeredStore store = new SteeredStore();
    private final RowlockClient client = RowlockClient.builder(store)
            .owner("node")
            .renewalInterval(Duration.ofMillis(100))
            .build();
    private final RowlockClient other =
            RowlockClient.builder(store).owner("other").build();
    private final CountDownLatch working = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);
    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    private final Jobs jobs = jobs();

    private Jobs jobs() {
        context.registerBean(RowlockClient.class, () -> client, definition -> definition.setDestroyMethodName(""));
        context.register(GuardedContext.Locks.class, Jobs.class);
        context.refresh();
        return context.getBean(Jobs.class);
    }

    @AfterEach
    void close() {
        end.countDown();
        context.close();
        client.close();
        other.close();
    }

    private boolean isFree() {
        Optional<HeldLock> lock = other.tryAcquire(LockRequest.exclusive("job"));
        lock.ifPresent(HeldLock::close);
        return lock.isPresent();
    }

    private void becomesFree() {
        await().atMost(Duration.ofMinutes(1)).until(this::isFree);
    }

    private String work() {
        working.countDown();
        boolean done = false;
        while (!done) {
            try {
                done = end.await(1, TimeUnit.MINUTES);
            } catch (InterruptedException deaf) {
                done = false;
            }
        }
        return "v";
    }

    private Mono<String> blockingWork() {
        return Mono.fromCallable(this::work).subscribeOn(Schedulers.boundedElastic());
    }

    private void awaitWork() throws InterruptedException {
        assertThat(working.await(1, TimeUnit.MINUTES)).isTrue();
    }

    @Test
    void cancelledFutureKeepsTheLockWhileItsBodyWorks() throws Exception {
        CompletableFuture<String> guarded = jobs.future(CompletableFuture.supplyAsync(this::work));
        awaitWork();
        guarded.cancel(true);
        assertThat(guarded).isCancelled();
        assertThat(isFree()).isFalse();
    }

    @Test
    void lockOfACancelledFutureExpires() {
        jobs.shortFuture(new CompletableFuture<>()).cancel(true);
        becomesFree();
    }

    @Test
    void futureThatTimesOutKeepsTheLockWhileItsBodyWorks() throws Exception {
        CompletableFuture<String> body = CompletableFuture.supplyAsync(this::work);
        CompletableFuture<String> guarded = jobs.future(body);
        awaitWork(); // a future that has timed out does not begin its work
        CompletableFuture<String> unused = body.orTimeout(10, TimeUnit.MILLISECONDS);
        assertThatThrownBy(guarded::get).hasCauseInstanceOf(TimeoutException.class);
        assertThat(isFree()).isFalse();
    }

    @Test
    void futureWhoseCancellationComesFromASourceKeepsTheLock() {
        CompletableFuture<String> source = new CompletableFuture<>();
        CompletableFuture<String> guarded = jobs.future(source.thenApply(value -> value));
        source.cancel(false);
        assertThat(guarded).isCompletedExceptionally();
        assertThat(isFree()).isFalse();
    }

    @Test
    void futureThatWasCancelledInTheBodyKeepsTheLock() {
        CompletableFuture<String> body = CompletableFuture.supplyAsync(this::work);
        body.cancel(true);
        assertThat(jobs.future(body)).isCancelled();
        assertThat(isFree()).isFalse();
    }

    @Test
    void futureThatFailsReleasesAtOnce() {
        CompletableFuture<String> guarded = jobs.future(CompletableFuture.failedFuture(new IllegalStateException()));
        assertThat(guarded).isCompletedExceptionally();
        assertThat(isFree()).isTrue();
    }

    @Test
    void timeoutAroundAPublisherKeepsTheLockWhileItsBodyWorks() {
        Mono<String> impatient = jobs.mono(blockingWork()).timeout(onceTheBodyWorks());
        assertThatThrownBy(impatient::block).hasRootCauseInstanceOf(TimeoutException.class);
        assertThat(isFree()).isFalse();
    }

    @Test
    void timeoutInsideAGuardedPublisherKeepsTheLockWhileItsBodyWorks() {
        Mono<String> impatient = jobs.mono(blockingWork().timeout(onceTheBodyWorks()));
        assertThatThrownBy(impatient::block).hasRootCauseInstanceOf(TimeoutException.class);
        assertThat(isFree()).isFalse();
    }

    private Mono<Void> onceTheBodyWorks() {
        return Mono.<Void>fromCallable(() -> {
                    awaitWork();
                    return null;
                })
                .subscribeOn(Schedulers.boundedElastic());
    }

    @Test
    void cancelledSubscriptionKeepsTheLockWhileItsBodyWorks() throws Exception {
        Disposable subscription = jobs.mono(blockingWork()).subscribe();
        awaitWork();
        subscription.dispose();
        assertThat(isFree()).isFalse();
    }

    @Test
    void lockOfACancelledSubscriptionExpires() {
        jobs.shortFlux(Flux.never()).subscribe().dispose();
        becomesFree();
    }

    @Test
    void subscriberThatNeedsOnlyTheFirstElementKeepsTheLock() {
        assertThat(jobs.flux(Flux.just("a", "b")).take(1).blockLast()).isEqualTo("a");
        assertThat(isFree()).isFalse();
    }

    @Test
    void lockIsReleasedIfTheRestIsCancelledInsideTheGuardedMethod() {
        assertThat(jobs.flux(Flux.just("a", "b").take(1)).blockLast()).isEqualTo("a");
        assertThat(isFree()).isTrue();
    }

    /** The outer call counts on the lock, so it is renewed until that has ended. */
    @Test
    void outerCallOfTheSameThreadKeepsItsLock() {
        try (HeldLock outer = client.acquire(LockRequest.exclusive("job").withTtl(Duration.ofSeconds(3)))) {
            jobs.shortFuture(new CompletableFuture<>()).cancel(true);
            long renewals = store.renewals();
            await().until(() -> store.renewals() > renewals + 12); // for longer than the call is given to go on
            assertThat(outer.isHeld()).isTrue();
            assertThat(isFree()).isFalse();
        }
        becomesFree();
    }

    static class Jobs {
        @DistributedLock(name = "job", ttl = LONG)
        public CompletableFuture<String> future(CompletableFuture<String> body) {
            return body;
        }

        @DistributedLock(name = "job", ttl = SHORT)
        public CompletableFuture<String> shortFuture(CompletableFuture<String> body) {
            return body;
        }

        @DistributedLock(name = "job", ttl = LONG)
        public Mono<String> mono(Mono<String> body) {
            return body;
        }

        @DistributedLock(name = "job", ttl = LONG)
        public Flux<String> flux(Flux<String> body) {
            return body;
        }

        @DistributedLock(name = "job", ttl = SHORT)
        public Flux<String> shortFlux(Flux<String> body) {
            return body;
        }
    }
}
