package io.rowlock.client.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
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
        threads.drain();
        assertThat(waiter.get()).as("interrupted").isFalse();
    }

    @Test
    void drainThatComesWithTheEndOfTheWaitLeavesNoInterruptEither() throws Exception {
        FutureTask<Boolean> waiter = start(threads::drain);
        assertThat(waiter.get()).as("interrupted").isFalse();
    }

    @Test
    void otherInterruptIsPassedOn() {
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> threads.await(never::await));
    }

    @Test
    void noThreadWaitsAfterADrainUntilItIsResumed() throws Exception {
        threads.drain();
        assertThat(threads.isOpen()).isFalse();
        assertThatThrownBy(threads::requireOpen).hasMessageContaining("shuts down");
        threads.await(never::await);
        threads.resume();
        assertThat(threads.isOpen()).isTrue();
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
}
