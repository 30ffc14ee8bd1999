package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.store.Attempt;
import io.rowlock.store.UncertainOutcomeException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of locks while a client is closed. */
@Timeout(60)
abstract class ShutdownContract extends TwoNodes {
    private static final LockRequest PATIENT = LockRequest.exclusive("a").withWaitTime(Duration.ofMinutes(10));

    @Test
    void waitersAreNotifiedAndNoThreadIsLeftInterrupted() throws Exception {
        HeldLock lock = rival.take("a");
        Other<Boolean> first = waiter();
        first.awaitWaiting();
        Other<Boolean> inLine = waiter();
        await().until(() -> node.client.admin().node().waiting() == 2);
        node.client.drain();
        assertThat(first.get()).as("interrupted").isFalse();
        assertThat(inLine.get()).as("interrupted").isFalse();
        assertThat(node.client.isIdle()).isTrue();
        assertThat(node.client.admin().node().waiting()).isZero();
        assertThat(lock.isHeld()).isTrue();
        lock.close();
    }

    private Other<Boolean> waiter() {
        return Other.does(() -> {
            assertThatThrownBy(() -> node.client.acquire(PATIENT))
                    .isInstanceOf(LockStoreException.class)
                    .hasMessageContaining("the application shuts down");
            return Thread.currentThread().isInterrupted();
        });
    }

    @Test
    void waitersForTheOwnProcessAreNotifiedToo() throws Exception {
        HeldLock lock = node.take("a");
        Other<Boolean> inLine = waiter();
        await().until(() -> node.client.admin().node().waiting() == 1);
        node.client.drain();
        assertThat(inLine.get()).isFalse();
        assertThat(lock.isHeld()).isTrue();
        lock.close();
        assertThat(table.isFree("a")).isTrue();
    }

    @Test
    void bodyMayFinishButTakesNothingNew() {
        HeldLock lock = node.client.acquire(LockRequest.exclusive("a").withTtl(Duration.ofSeconds(6)));
        node.client.drain();
        int renewals = node.store.renewals.get();
        assertThatThrownBy(() -> node.take("b"))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("shuts down");
        assertThatThrownBy(() -> node.take("a", "b")).isInstanceOf(LockStoreException.class);
        HeldLock again = node.take("a");
        assertThat(again.fencingToken()).isEqualTo(lock.fencingToken());
        again.close();
        assertThat(node.client.isIdle()).isFalse();
        await().until(() -> node.store.renewals.get() > renewals);
        assertThat(lock.isHeld()).isTrue();
        lock.close();
        assertThat(node.client.isIdle()).isTrue();
        assertThat(table.isFree("a")).isTrue();
    }

    @Test
    void drainedClientCanBeResumedAndAClosedOneCannot() {
        node.client.drain();
        node.client.resume();
        node.take("a").close();
        HeldLock lock = rival.take("a");
        assertThat(node.client.tryAcquire(LockRequest.exclusive("a").withWaitTime(Duration.ofMillis(100))))
                .isEmpty();
        lock.close();
        node.client.close();
        node.client.resume();
        assertThatThrownBy(() -> node.take("a")).isInstanceOf(LockStoreException.class);
    }

    @Test
    void whatIsGrantedAfterClosingBeganIsGivenBackBeforeItEnds() throws Exception {
        CountDownLatch granted = new CountDownLatch(1);
        CountDownLatch closing = new CountDownLatch(1);
        node.store.acquiring = (request, real) -> {
            Attempt attempt = real.call(request);
            granted.countDown();
            awaitUninterruptibly(closing);
            pause(); // the answer is late; without a wait for it, the client would be closed by now
            return attempt;
        };
        Other<HeldLock> acquiring = Other.does(() -> node.take("a"));
        granted.await();
        assertThat(table.isFree("a")).isFalse();
        Other<Boolean> close = Other.does(() -> {
            closing.countDown();
            node.client.close();
            return table.isFree("a");
        });
        assertThat(close.get()).as("free when the client is closed").isTrue();
        assertThat(acquiring.failure()).isInstanceOf(LockStoreException.class).hasMessageContaining("closed");
    }

    @Test
    void attemptThatGotNoAnswerIsTakenBack() {
        CountDownLatch seen = new CountDownLatch(1);
        node.store.acquiring = (request, real) -> {
            Attempt unused = real.call(request);
            throw new UncertainOutcomeException("no answer", new IllegalStateException());
        };
        node.store.abandoning = (request, real) -> {
            await().until(() -> seen.getCount() == 0);
            return real.call(request);
        };
        assertThatThrownBy(() -> node.tryTake("a")).isInstanceOf(UncertainOutcomeException.class);
        assertThat(table.isFree("a")).isFalse();
        seen.countDown();
        node.client.close();
        assertThat(table.isFree("a")).isTrue();
    }

    @Test
    void whatIsLeftIsGivenBackByItsToken() {
        HeldLock one = node.take("a");
        HeldLock lost = node.take("b");
        table.forceRelease("b");
        HeldLock others = rival.take("b");
        node.client.close();
        assertThat(table.isFree("a")).isTrue();
        assertThat(table.isFree("b")).isFalse();
        assertThat(others.isHeld()).isTrue();
        assertThat(one.isHeld() || lost.isHeld()).isFalse();
        one.close();
        lost.close();
        others.close();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError("a statement is never interrupted", e);
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(300);
        } catch (InterruptedException e) {
            throw new AssertionError("a statement is never interrupted", e);
        }
    }
}
