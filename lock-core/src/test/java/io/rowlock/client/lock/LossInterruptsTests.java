package io.rowlock.client.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.LockEvent;
import io.rowlock.LockMode;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who is interrupted, how often, and what is left of it. */
@Timeout(60)
class LossInterruptsTests {
    private final LossInterrupts interrupts = new LossInterrupts();

    private static LockEvent lost(String key) {
        return new LockEvent(
                LockEvent.Type.LOST,
                key,
                "other",
                LockMode.EXCLUSIVE,
                "lease",
                "me",
                1,
                Duration.ZERO,
                Duration.ZERO,
                Instant.EPOCH);
    }

    @AfterEach
    void leaveNothingBehind() {
        assertThat(Thread.interrupted()).isFalse();
        assertThat(interrupts.threads).isEmpty();
    }

    @Test
    void threadIsInterruptedAndTheFlagGoesWithTheBody() {
        LossInterrupts.Body body = interrupts.begin();
        body.lost(lost("a"));
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        body.end();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void noThreadIsInterruptedAfterTheEnd() {
        LossInterrupts.Body body = interrupts.begin();
        body.end();
        body.lost(lost("a"));
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void partsOfOneLockInterruptOnce() {
        LossInterrupts.Body body = interrupts.begin();
        body.lost(lost("a"));
        assertThat(Thread.interrupted()).isTrue();
        body.lost(lost("b"));
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        body.end();
    }

    @Test
    void nestedGrantsOfOneLeaseInterruptOnceAndTheOuterBodyKeepsTheFlag() {
        LossInterrupts.Body outer = interrupts.begin();
        LossInterrupts.Body inner = interrupts.begin();
        outer.lost(lost("a"));
        assertThat(Thread.interrupted()).isTrue();
        inner.lost(lost("a"));
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        inner.end();
        outer.end();

        LossInterrupts.Body again = interrupts.begin();
        LossInterrupts.Body nested = interrupts.begin();
        again.lost(lost("a"));
        nested.lost(lost("a"));
        nested.end();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        again.end();
    }

    @Test
    void outerBodyWhoseLockIsHeldIsNotDisturbedByTheInnerOne() {
        LossInterrupts.Body outer = interrupts.begin();
        LossInterrupts.Body inner = interrupts.begin();
        inner.lost(lost("b"));
        inner.end();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        outer.lost(lost("a"));
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        outer.end();
    }

    @Test
    void innerBodyThatHasEndedIsNotInterruptedThoughTheOuterOneGoesOn() {
        LossInterrupts.Body outer = interrupts.begin();
        LossInterrupts.Body inner = interrupts.begin();
        inner.end();
        inner.lost(lost("b"));
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        outer.end();
    }

    @Test
    void interruptThatWasThereBeforeIsNotTakenBack() {
        LossInterrupts.Body body = interrupts.begin();
        Thread.currentThread().interrupt();
        body.lost(lost("a"));
        body.end();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void endOnAnotherThreadStopsItToo() throws Exception {
        LossInterrupts.Body body = interrupts.begin();
        Thread closer = new Thread(body::end);
        closer.start();
        closer.join();
        body.lost(lost("a"));
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void blockedBodyWakesUp() throws Exception {
        AtomicReference<LossInterrupts.Body> body = new AtomicReference<>();
        CountDownLatch begun = new CountDownLatch(1);
        AtomicReference<Throwable> woken = new AtomicReference<>();
        Thread worker = new Thread(() -> {
            body.set(interrupts.begin());
            begun.countDown();
            try {
                Thread.sleep(60_000); // until the interrupt; not for ever if none comes
            } catch (InterruptedException e) {
                woken.set(e);
            } finally {
                body.get().end();
            }
        });
        worker.start();
        begun.await();
        body.get().lost(lost("a"));
        worker.join();
        assertThat(woken.get()).isInstanceOf(InterruptedException.class);
    }

    /** The loss is found at the very moment at which the body ends: whichever comes first, later work is not disturbed. */
    @Test
    void noInterruptEverReachesWhatTheThreadDoesLater() throws Exception {
        int rounds = 20_000;
        AtomicReference<LossInterrupts.Body> present = new AtomicReference<>();
        CyclicBarrier together = new CyclicBarrier(2);
        Thread teller = new Thread(() -> {
            for (int i = 0; i < rounds; i++) {
                meet(together);
                present.get().lost(lost("a"));
                meet(together);
            }
        });
        teller.start();
        int strays = 0;
        for (int i = 0; i < rounds; i++) {
            LossInterrupts.Body body = interrupts.begin();
            present.set(body);
            meet(together);
            body.end();
            strays += Thread.interrupted() ? 1 : 0;
            meet(together);
            strays += Thread.interrupted() ? 1 : 0;
        }
        teller.join();
        assertThat(strays).isZero();
    }

    private static void meet(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (InterruptedException | BrokenBarrierException e) {
            throw new IllegalStateException("A stray interrupt", e);
        }
    }
}
