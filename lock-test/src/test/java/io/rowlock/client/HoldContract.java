package io.rowlock.client;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rowlock.HeldLock;
import io.rowlock.LockEvent;
import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.LockRequest;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a thread has, what it may enter again, and who may close it. */
abstract class HoldContract extends ClientContract {
    @Test
    void threadEntersItsOwnLockWithoutAskingTheDatabase() {
        HeldLock outer = node.take("a");
        int calls = node.store.calls.get();
        HeldLock inner = node.take("a");
        HeldLock reader = node.read("a");
        assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
        assertThat(reader.fencingToken()).isEqualTo(outer.fencingToken());
        assertThat(reader.mode()).isEqualTo(LockMode.SHARED);
        inner.close();
        inner.close();
        assertThat(node.store.calls).hasValue(calls);
        outer.close();
        assertThat(reader.isHeld()).isTrue();
        assertThat(outer.isHeld()).isFalse();
        assertThat(rival.canTake("a")).isFalse();
        reader.close();
        assertThat(rival.canTake("a")).isTrue();
        assertThat(node.events)
                .extracting(LockEvent::type)
                .containsExactly(LockEvent.Type.ACQUIRED, LockEvent.Type.RELEASED);
    }

    @Test
    void readerMayNotBecomeAWriter() {
        try (HeldLock reader = node.read("a")) {
            int calls = node.store.calls.get();
            assertThatThrownBy(() -> node.take("a"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("\"a\"");
            assertThat(node.store.calls).hasValue(calls);
            assertThat(reader.isHeld()).isTrue();
        }
        assertThat(rival.canTake("a")).isTrue();
    }

    @Test
    void nobodyEntersALostLock() {
        HeldLock lock = node.client.acquire(LockRequest.exclusive("a").withRenewal(false));
        node.pause(ofSeconds(31));
        assertThatThrownBy(() -> node.take("a")).isInstanceOf(LockLostException.class);
        assertThatThrownBy(() -> node.tryTake("a")).isInstanceOf(LockLostException.class);
        lock.close();
        node.take("a").close();
    }

    @Test
    void anotherThreadOfTheSameProcessIsExcluded() throws Exception {
        try (HeldLock lock = node.take("a")) {
            Optional<HeldLock> got = Other.does(() -> node.tryTake("a")).get();
            assertThat(got).isEmpty();
        }
        assertThat(Other.does(() -> node.canTake("a")).get()).isTrue();
    }

    @Test
    void anyThreadMayClose() throws Exception {
        HeldLock lock = node.take("a");
        assertThat(Other.does(() -> {
                            lock.close();
                            return true;
                        })
                        .get())
                .isTrue();
        assertThat(rival.canTake("a")).isTrue();
        assertThat(node.client.holds().threads()).isZero();
        HeldLock again = node.take("a");
        assertThat(again.fencingToken()).isGreaterThan(lock.fencingToken());
        lock.close();
        assertThat(again.isHeld()).isTrue();
        again.close();
    }

    @Test
    void detachedLockBelongsToWhoeverClosesIt() throws Exception {
        HeldLock lock = node.take("a", "b");
        ((DetachableLock) lock).detach();
        assertThat(node.client.holds().threads()).isZero();
        assertThat(node.tryTake("a")).isEmpty();
        assertThat(lock.isHeld()).isTrue();
        assertThat(Other.does(() -> {
                            lock.close();
                            return node.canTake("a") && node.canTake("b");
                        })
                        .get())
                .isTrue();
    }

    @Test
    void virtualThreadOwnsItsLock() throws Exception {
        var start = Arrays.stream(Thread.class.getMethods())
                .filter(method -> method.getName().equals("startVirtualThread"))
                .findFirst();
        assumeTrue(start.isPresent() && Runtime.version().feature() >= 21, "no virtual threads here");
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        Runnable body = () -> {
            try (HeldLock outer = node.take("a");
                    HeldLock inner = node.take("a")) {
                result.complete(inner.fencingToken() == outer.fencingToken() && !rival.canTake("a"));
            } catch (Throwable thrown) {
                result.completeExceptionally(thrown);
            }
        };
        Object thread = start.get().invoke(null, body);
        assertThat(result.get(30, TimeUnit.SECONDS)).isTrue();
        ((Thread) thread).join();
        assertThat(rival.canTake("a")).isTrue();
        assertThat(node.client.holds().threads()).isZero();
    }
}
