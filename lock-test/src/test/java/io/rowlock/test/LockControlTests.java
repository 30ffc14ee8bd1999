package io.rowlock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.HeldLock;
import io.rowlock.LockMode;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.client.RowlockClient;
import io.rowlock.store.memory.InMemoryLockStore;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The kit without an application around it; as its users have it, it is tested in lock-autoconfigure. */
class LockControlTests {
    private final InMemoryLockStore store = new InMemoryLockStore();
    private final LockRecorder recorder = new LockRecorder();
    private final RowlockClient application = RowlockClient.builder(store)
            .strategy(store.strategy())
            .waitTime(Duration.ZERO)
            .listeners(List.of(recorder))
            .build();
    private final LockControl control = new LockControl(application, List.of(store));

    @AfterEach
    void close() {
        control.close();
        application.close();
    }

    @Test
    void occupiedLockIsBusyUntilItIsClosed() {
        try (HeldLock theirs = control.occupy("stock")) {
            assertThat(theirs.isHeld()).isTrue();
            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .isThrownBy(() -> application.acquire(LockRequest.exclusive("stock")));
            assertThat(control.isHeldByApplication("stock", LockMode.EXCLUSIVE)).isFalse();
        }
        try (HeldLock mine = application.acquire(LockRequest.exclusive("stock"))) {
            assertThat(mine.isHeld()).isTrue();
        }
    }

    @Test
    void holderOfALostLockKnowsAtOnce() {
        try (HeldLock mine = application.acquire(LockRequest.exclusive("stock"))) {
            assertThat(control.isHeldByApplication("stock", LockMode.EXCLUSIVE)).isTrue();
            control.lose("stock");
            assertThat(mine.isHeld()).isFalse();
        }
    }

    @Test
    void expiredLockIsFreeForOthers() {
        HeldLock mine = application.acquire(LockRequest.exclusive("stock").withRenewal(false));
        control.expire("stock");
        assertThat(mine.isHeld()).isTrue();
        try (HeldLock theirs = control.occupy("stock")) {
            assertThat(theirs.fencingToken()).isGreaterThan(mine.fencingToken());
        }
    }

    @Test
    void recorderTellsWhichLockTheActionAcquired() throws Exception {
        recorder.assertLocks(
                "stock",
                () -> application.acquire(LockRequest.exclusive("stock")).close());
        assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> recorder.assertLocks("stock", () -> {}));
    }
}
