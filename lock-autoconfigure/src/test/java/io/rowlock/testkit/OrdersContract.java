package io.rowlock.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockEvent;
import io.rowlock.LockMode;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.test.LockControl;
import io.rowlock.test.LockRecorder;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** What a user can have happen to locks, wherever they are kept. */
abstract class OrdersContract {
    @Autowired
    Orders orders;

    @Autowired
    LockControl control;

    @Autowired
    LockRecorder recorder;

    @BeforeEach
    void forget() {
        recorder.clear();
    }

    @Test
    void otherNodeKeepsTheApplicationOutUntilItLetsGo() {
        try (HeldLock theirs = control.occupy("order:1")) {
            assertThat(theirs.isHeld()).isTrue();
            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .isThrownBy(() -> orders.pay(1, () -> "paid"))
                    .withMessageContaining("another node");
        }
        assertThat(orders.pay(1, () -> "paid")).isEqualTo("paid");
    }

    @Test
    void otherNodesReaderKeepsWritersOut() {
        try (HeldLock theirs = control.occupyShared("order:2")) {
            assertThat(theirs.mode()).isEqualTo(LockMode.SHARED);
            assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> orders.pay(2, () -> "paid"));
        }
    }

    @Test
    void otherNodeTakesAnyStrategysLock() {
        LockRequest request = LockRequest.exclusive("order:3").withStrategy("row-lock");
        try (HeldLock theirs = control.occupy(request)) {
            assertThat(theirs.isHeld()).isTrue();
            assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> orders.look(3));
        }
        assertThat(orders.look(3)).isEqualTo("order 3");
    }

    @Test
    void holderHearsAtOnceThatItHasLostTheLock() {
        try (HeldLock mine = orders.locks().acquire(LockRequest.exclusive("order:4"))) {
            control.lose("order:4");
            assertThat(mine.isHeld()).isFalse();
            await().until(() -> recorder.events().stream().anyMatch(event -> event.type() == LockEvent.Type.LOST));
        }
    }

    @Test
    void lockThatHasExpiredIsTakenOverAndItsHolderDoesNotKnowYet() {
        HeldLock mine = orders.locks()
                .acquire(LockRequest.exclusive("order:5")
                        .withTtl(Duration.ofMinutes(10))
                        .withRenewal(false));
        control.expire("order:5");
        assertThat(mine.isHeld()).isTrue();
        try (HeldLock theirs = control.occupy("order:5")) {
            assertThat(theirs.fencingToken()).isGreaterThan(mine.fencingToken());
            mine.close();
            assertThat(theirs.isHeld()).isTrue();
        }
    }

    @Test
    void nothingCanBeLostOrExpireThatIsNotHeld() {
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> control.lose("order:6"))
                .withMessageContaining("order:6");
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> control.expire("order:6"))
                .withMessageContaining("order:6");
    }

    @Test
    void methodIsKnownToHaveTakenItsLock() throws Exception {
        recorder.assertLocks("order:7", () -> orders.pay(7, () -> "paid"));
        recorder.assertLocksShared("order:7", () -> orders.look(7));
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> recorder.assertLocks("order:8", () -> orders.pay(7, () -> "paid")))
                .withMessageContaining("order:8")
                .withMessageContaining("\"order:7\" EXCLUSIVE");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> recorder.assertLocks("order:7", () -> orders.look(7)));
        assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> recorder.assertLocks("order:7", () -> {}));
    }

    @Test
    void bodyIsKnownToRunUnderItsLock() {
        boolean held = orders.pay(9, () -> control.isHeldByApplication("order:9", LockMode.EXCLUSIVE));
        assertThat(held).isTrue();
        assertThat(control.isHeldByApplication("order:9", LockMode.SHARED)).isFalse();
    }
}
