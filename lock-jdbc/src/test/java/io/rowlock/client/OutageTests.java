package io.rowlock.client;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.store.Attempt;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.UncertainOutcomeException;
import io.rowlock.test.OnEachServer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What happens when the database does not answer, or the client is closed. */
@OnEachServer
class OutageTests extends ClientContract {
    /** The first attempt is carried out, but its answer is lost. */
    private static ScriptedStore.Script<LeaseRequest, Attempt> firstAnswerLost() {
        AtomicInteger attempts = new AtomicInteger();
        return (request, real) -> {
            Attempt attempt = real.call(request);
            if (attempts.incrementAndGet() == 1) {
                throw new UncertainOutcomeException("no answer", new IllegalStateException());
            }
            return attempt;
        };
    }

    @Test
    void outageIsNeverReportedAsBusy() {
        table.hide();
        try {
            assertThatThrownBy(() -> node.take("a")).isInstanceOf(LockStoreException.class);
            assertThatThrownBy(() -> node.tryTake("a")).isInstanceOf(LockStoreException.class);
        } finally {
            table.unhide();
        }
        node.take("a").close();
        node.pool.close();
        assertThatThrownBy(() -> node.tryTake("a")).isInstanceOf(LockStoreException.class);
        assertThat(node.use().queues()).isZero();
    }

    @Test
    void outageIsNotReportedAsBusyToThoseInLineEither() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch fail = new CountDownLatch(1);
        node.store.acquiring = (request, real) -> {
            asked.countDown();
            await().until(() -> fail.getCount() == 0);
            throw new LockStoreException("off", null);
        };
        Other<HeldLock> first = Other.does(() -> node.take("a"));
        asked.await();
        Other<HeldLock> second = Other.does(() -> node.take("a"));
        second.awaitWaiting();
        fail.countDown();
        assertThat(first.failure()).isInstanceOf(LockStoreException.class);
        assertThat(second.failure()).isInstanceOf(LockStoreException.class);
    }

    /** From now on the store says when it is asked, and answers when it is let. */
    private void holdUpAnswers(CountDownLatch asked, CountDownLatch answer) {
        node.store.acquiring = (request, real) -> {
            asked.countDown();
            await().until(() -> answer.getCount() == 0);
            return real.call(request);
        };
    }

    @Test
    void outageIsNotForgottenBetweenTurns() throws Exception {
        node.store.acquiring = (request, real) -> {
            throw new LockStoreException("off", null);
        };
        assertThatThrownBy(() -> node.take("a")).isInstanceOf(LockStoreException.class);
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        holdUpAnswers(asked, answer);
        Other<HeldLock> first = Other.does(() -> node.take("a"));
        asked.await();
        assertThat(Other.does(() -> node.tryTake("a")).failure()).isInstanceOf(LockStoreException.class);
        answer.countDown();
        try (HeldLock held = first.get()) {
            assertThat(held.isHeld()).isTrue();
            assertThat(Other.does(() -> node.tryTake("a")).get()).isEmpty();
        }
    }

    @Test
    void silenceIsNotReportedAsBusyToThoseInLine() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        holdUpAnswers(asked, answer);
        Other<HeldLock> first = Other.does(() -> node.take("a"));
        asked.await();
        LockRequest patient = LockRequest.exclusive("a").withWaitTime(ofMillis(100));
        assertThat(Other.does(() -> node.client.acquire(patient)).failure())
                .as("it has just been asked")
                .isInstanceOf(LockNotAcquiredException.class);
        node.pause(ofMinutes(1));
        assertThat(Other.does(() -> node.client.acquire(patient)).failure())
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("does not answer");
        answer.countDown();
        assertThat(first.failure()).as("its grant came too late").isInstanceOf(LockStoreException.class);
    }

    @Test
    void leaseOfUnknownOutcomeIsTakenBackInTheBackground() {
        CountDownLatch seen = new CountDownLatch(1);
        node.store.acquiring = firstAnswerLost();
        node.store.abandoning = (request, real) -> {
            await().until(() -> seen.getCount() == 0);
            return real.call(request);
        };
        assertThatThrownBy(() -> node.take("a")).isInstanceOf(UncertainOutcomeException.class);
        assertThat(table.isFree("a")).isFalse();
        seen.countDown();
        await().until(() -> rival.canTake("a"));
        await().until(() -> node.use().queues() == 0);
    }

    @Test
    void leaseOfUnknownOutcomeIsTakenBackByTheNextInTurn() {
        node.store.acquiring = firstAnswerLost();
        assertThatThrownBy(() -> node.take("a")).isInstanceOf(UncertainOutcomeException.class);
        HeldLock lock = node.tryTake("a").orElseThrow();
        await().pollDelay(ofMillis(1_200)).until(lock::isHeld);
        assertThat(rival.canTake("a")).isFalse();
        lock.close();
    }

    @Test
    void readersLeaseOfUnknownOutcomeIsTakenBackThoughOthersRead() throws Exception {
        node.store.acquiring = firstAnswerLost();
        assertThatThrownBy(() -> node.read("a")).isInstanceOf(UncertainOutcomeException.class);
        HeldLock reader = node.read("a");
        assertThat(table.live("a")).as("its own lease only").isEqualTo(1);
        node.store.acquiring = (request, real) -> {
            Attempt unused = real.call(request);
            throw new UncertainOutcomeException("no answer", new IllegalStateException());
        };
        await().pollDelay(ofMillis(150)).until(reader::isHeld); // no thread may join any more
        assertThat(Other.does(() -> node.read("a")).failure()).isInstanceOf(UncertainOutcomeException.class);
        node.store.acquiring = ScriptedStore.Script.asIs();
        await().until(() -> table.live("a") == 1);
        reader.close();
        await().until(() -> rival.canTake("a"));
        await().until(() -> node.use().queues() == 0);
        assertThat(node.use().leases()).isZero();
    }

    @Test
    void writerWhoseDrainFailsGivesTheKeyBackAndSaysWhy() {
        node.read("a").close();
        RuntimeException why = new LockStoreException("drain", null);
        node.store.draining = (lease, real) -> {
            throw why;
        };
        assertThatThrownBy(() -> node.take("a")).isSameAs(why);
        await().until(() -> rival.canTake("a"));
        node.store.releasing = (lease, real) -> {
            throw new LockStoreException("release", null);
        };
        assertThatThrownBy(() -> node.take("a")).isSameAs(why);
        table.age("a");
    }

    @Test
    void closingTheClientGivesEveryLeaseBackAndTakesNoMore() {
        HeldLock one = node.take("a");
        HeldLock other = node.read("b");
        node.client.close();
        assertThat(table.isFree("a") && table.isFree("b")).isTrue();
        assertThat(one.isHeld() || other.isHeld()).isFalse();
        assertThatThrownBy(() -> node.take("a"))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("closed");
        one.close();
        other.close();
        node.client.close();
    }

    @Test
    void closingTheClientEndsEveryWait() throws Exception {
        HeldLock lock = rival.take("a");
        LockRequest patient = LockRequest.exclusive("a").withWaitTime(ofMinutes(10));
        Other<HeldLock> polling = Other.does(() -> node.client.acquire(patient));
        polling.awaitWaiting();
        Other<HeldLock> inLine = Other.does(() -> node.client.acquire(patient));
        inLine.awaitWaiting();
        node.client.close();
        assertThat(polling.failure()).isInstanceOf(LockStoreException.class).hasMessageContaining("closed");
        assertThat(inLine.failure()).isInstanceOf(LockStoreException.class).hasMessageContaining("closed");
        lock.close();
    }

    @Test
    void grantThatArrivesWhileTheClientClosesIsGivenBack() {
        node.store.acquiring = (request, real) -> {
            Attempt attempt = real.call(request);
            node.client.close();
            return attempt;
        };
        assertThatThrownBy(() -> node.take("a"))
                .isInstanceOf(LockStoreException.class)
                .isNotInstanceOf(LockNotAcquiredException.class);
        assertThat(table.isFree("a")).isTrue();
    }
}
