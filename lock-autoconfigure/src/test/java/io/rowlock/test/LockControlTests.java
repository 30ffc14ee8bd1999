package io.rowlock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.HeldLock;
import io.rowlock.LockMode;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.client.RowlockClient;
import io.rowlock.store.LockStore;
import io.rowlock.store.inspection.LiveLock;
import io.rowlock.store.inspection.StoreInspection;
import io.rowlock.store.memory.InMemoryLockStore;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The kit without an application around it; as its users have it, it is tested in {@code io.rowlock.testkit}. */
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
    void lockWhoseHolderIsNotShownKeepsNoOtherFromExpiring() {
        List<LockStore> both = List.of(withoutHolders(new InMemoryLockStore().named("hidden")), store);
        LockRequest shown = LockRequest.exclusive("stock").withStrategy(store.strategy());
        try (RowlockClient node = RowlockClient.builder(both).build();
                LockControl ofBoth = new LockControl(node, both)) {
            node.acquire(shown.withStrategy("hidden"));
            node.acquire(shown);
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> ofBoth.expire("stock"))
                    .withMessageContaining("does not show its holder");
            assertThat(ofBoth.occupy(shown).isHeld()).isTrue();
        }
    }

    /** Shows locks as strategy row-lock does. */
    private static LockStore withoutHolders(LockStore shown) {
        StoreInspection inspection = shown.inspection().orElseThrow();
        StoreInspection hidden = proxy(
                StoreInspection.class,
                inspection,
                "holders",
                () -> inspection.holders("stock").stream()
                        .map(lock -> new LiveLock(lock.key(), lock.mode(), 0, "unknown", null, null, null, 0))
                        .toList());
        return proxy(LockStore.class, shown, "inspection", () -> Optional.of(hidden));
    }

    private static <T> T proxy(Class<T> type, T target, String replaced, Supplier<?> answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) ->
                        method.getName().equals(replaced) ? answer.get() : method.invoke(target, arguments)));
    }

    @Test
    void recorderTellsWhichLockTheActionAcquired() throws Exception {
        recorder.assertLocks(
                "stock",
                () -> application.acquire(LockRequest.exclusive("stock")).close());
        assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> recorder.assertLocks("stock", () -> {}));
    }
}
