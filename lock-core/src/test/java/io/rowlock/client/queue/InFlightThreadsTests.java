package io.rowlock.client.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class InFlightThreadsTests {
    private final InFlightThreads threads = new InFlightThreads();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch never = new CountDownLatch(1);

    @Test
    void threadThatWaitsIsWokenAndNotLeftInterrupted() throws Exception {
        FutureTask<Boolean> waiter = start(() -> {
            begun.countDown();
            never.await();
        });
        begun.await();
        threads.wake();
        assertThat(waiter.get()).as("interrupted").isFalse();
    }

    @Test
    void wakeThatComesWithTheEndOfTheWaitLeavesNoInterruptEither() throws Exception {
        FutureTask<Boolean> waiter = start(threads::wake);
        assertThat(waiter.get()).as("interrupted").isFalse();
    }

    @Test
    void interruptOfSomebodyElseIsPassedOn() {
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> threads.await(never::await));
    }

    @Test
    void nobodyWaitsAfterwardsUntilItIsRestarted() throws Exception {
        threads.wake();
        threads.await(never::await);
        threads.restart();
        CompletableFuture<Boolean> waited = new CompletableFuture<>();
        threads.await(() -> waited.complete(true));
        assertThat(waited).isCompletedWithValue(true);
    }

    /** Waits on another thread. @return whether that is interrupted afterwards */
    private FutureTask<Boolean> start(InFlightThreads.Wait wait) {
        FutureTask<Boolean> task = new FutureTask<>(() -> {
            threads.await(wait);
            return Thread.currentThread().isInterrupted();
        });
        Thread thread = new Thread(task, "waits");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    @Test
    void whoeverAsksIsWaitedForExceptOneself() throws Exception {
        Underway underway = new Underway();
        underway.begin();
        assertThat(underway.awaitEnd(java.time.Duration.ofMinutes(1))).isTrue();
        FutureTask<Boolean> other = new FutureTask<>(() -> underway.awaitEnd(java.time.Duration.ofMillis(50)));
        new Thread(other, "closes").start();
        assertThat(other.get(30, TimeUnit.SECONDS)).isFalse();
        underway.end();
        other = new FutureTask<>(() -> underway.awaitEnd(java.time.Duration.ofMinutes(1)));
        new Thread(other, "closes").start();
        assertThat(other.get(30, TimeUnit.SECONDS)).isTrue();
    }
}
