package io.rowlock.client;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockEvent;
import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.LockRequest;
import io.rowlock.OnLost;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** What listeners learn of dead holders and busy keys, and what becomes of a thread whose lock is lost. */
abstract class EventContract extends TwoNodes {
    private static LockEvent only(LockNode at, LockEvent.Type type) {
        await().until(() -> at.events.stream().anyMatch(event -> event.type() == type));
        var found = at.events.stream().filter(event -> event.type() == type).toList();
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    /** All earlier events have been delivered when this returns: events come in their order. */
    private void settle(LockNode at) throws Exception {
        HeldLock marker = newNode("marker").take("marker");
        assertThat(Other.does(() -> at.tryTake("marker")).get()).isEmpty();
        await().until(() -> at.count(LockEvent.Type.BUSY, "marker") == 1);
        marker.close();
    }

    @Test
    void lockOfADeadHolderIsReportedByTheNextHolder() throws Exception {
        HeldLock dead = node.take("order:1");
        table.age("order:1");
        rival.client
                .acquire(LockRequest.exclusive("order:1").withName("checkout"))
                .close();
        rival.take("order:1").close();
        settle(rival);
        LockEvent expired = only(rival, LockEvent.Type.EXPIRED);
        assertThat(expired.key()).isEqualTo("order:1");
        assertThat(expired.name()).isEqualTo("checkout");
        assertThat(expired.mode()).isEqualTo(LockMode.EXCLUSIVE);
        assertThat(expired.strategy()).isEqualTo(rival.store.strategy());
        assertThat(expired.owner()).isEqualTo("node");
        assertThat(expired.fencingToken()).isEqualTo(dead.fencingToken());
        assertThat(expired.waited()).isZero();
        assertThat(node.count(LockEvent.Type.EXPIRED, "order:1")).isZero();
        assertThat(rival.events)
                .filteredOn(event -> event.type() == LockEvent.Type.ACQUIRED)
                .extracting(LockEvent::name)
                .containsExactly("checkout", "order");
    }

    @Test
    void readerThatDiedIsToldByTheWriterItWasInTheWayOf() throws Exception {
        HeldLock dead = node.read("a");
        table.age("a");
        rival.take("a").close();
        settle(rival);
        LockEvent expired = only(rival, LockEvent.Type.EXPIRED);
        assertThat(expired.mode()).isEqualTo(LockMode.SHARED);
        assertThat(expired.owner()).isEqualTo("node");
        assertThat(expired.fencingToken()).isEqualTo(dead.fencingToken());
    }

    @Test
    void busyKeyIsToldWithItsHolder() throws Exception {
        try (HeldLock lock = node.take("order:1")) {
            assertThat(rival.client.tryAcquire(LockRequest.exclusive("order:1").withWaitTime(ofMillis(50))))
                    .isEmpty();
            LockEvent busy = only(rival, LockEvent.Type.BUSY);
            assertThat(busy.key()).isEqualTo("order:1");
            assertThat(busy.name()).isEqualTo("order");
            assertThat(busy.owner()).isEqualTo("node");
            assertThat(busy.fencingToken()).isZero();
            assertThat(busy.waited()).isGreaterThanOrEqualTo(ofMillis(50));
            assertThat(busy.held()).isZero();
        }
        assertThat(node.count(LockEvent.Type.BUSY, "order:1")).isZero();
    }

    @Test
    void outageIsNotBusy() throws Exception {
        table.hide();
        try {
            assertThatThrownBy(() -> rival.take("a")).isInstanceOf(io.rowlock.LockStoreException.class);
        } finally {
            table.unhide();
        }
        settle(rival);
        assertThat(rival.count(LockEvent.Type.BUSY, "a")).isZero();
    }

    @Test
    void bodyIsInterruptedWhenItsLockIsLostAndItsExceptionIsWhatTheCallerSees() {
        LockRequest request = LockRequest.exclusive("a").withTtl(ofSeconds(3)).withOnLost(OnLost.INTERRUPT);
        assertThatThrownBy(() -> node.client.execute(request, () -> {
                    table.forceRelease("a");
                    Thread.sleep(60_000); // until the interrupt; not for ever if none comes
                }))
                .isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        assertThat(only(node, LockEvent.Type.LOST).key()).isEqualTo("a");
        assertThat(node.count(LockEvent.Type.RELEASED, "a")).isZero();
        assertThat(rival.canTake("a")).isTrue();
    }

    @Test
    void callEndsWithTheLossThatOnlyItsReleaseFinds() throws Exception {
        LockRequest request = LockRequest.exclusive("a").withOnLost(OnLost.THROW);
        assertThatThrownBy(() -> node.client.execute(request, () -> {
                    table.forceRelease("a");
                    rival.take("a").close();
                }))
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining("before it was released");
        assertThat(node.client.<String, RuntimeException>execute(request, () -> "kept"))
                .isEqualTo("kept");
        HeldLock byHand = node.client.acquire(request);
        table.forceRelease("a");
        byHand.close();
        assertThat(byHand.isLost()).isTrue();
    }

    @Test
    void bodysOwnExceptionCarriesTheLoss() {
        IllegalStateException failure = new IllegalStateException("body");
        assertThatThrownBy(() -> node.client.execute(LockRequest.exclusive("a").withOnLost(OnLost.THROW), () -> {
                    table.forceRelease("a");
                    throw failure;
                }))
                .isSameAs(failure)
                .hasSuppressedException(
                        new LockLostException(
                                "a",
                                ((LockLostException) failure.getSuppressed()[0]).fencingToken(),
                                "it was lost before it was released, so another owner may have worked since then; what was committed is stored"));
    }

    /** By spinning: who waits with the interrupt flag set is thrown out. */
    private static void spinUntil(BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean() && System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
        assertThat(condition.getAsBoolean()).isTrue();
    }

    @Test
    void interruptThatTheBodyDoesNotNoticeDoesNotReachLaterWork() throws Exception {
        LockRequest request = LockRequest.exclusive("a").withTtl(ofSeconds(3)).withOnLost(OnLost.INTERRUPT);
        HeldLock lock = node.client.acquire(request);
        table.forceRelease("a");
        spinUntil(() -> node.count(LockEvent.Type.LOST, "a") == 1);
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        assertThatThrownBy(() -> lock.ensureHeld(Duration.ZERO)).isInstanceOf(LockLostException.class);
        lock.close();
        assertThat(Thread.interrupted()).isFalse();
        node.take("a").close();
        assertThat(node.use().interruptible()).isZero();
    }
}
