package io.rowlock.client;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rowlock.HeldLock;
import io.rowlock.LockEvent;
import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.OnLost;
import io.rowlock.client.lock.DetachableLock;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a thread has, what it may enter again, and who may close it. */
abstract class ThreadLockContract extends TwoNodes {
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
    void noThreadEntersALostLock() {
        HeldLock lock = node.take("a");
        node.pause(ofSeconds(31));
        assertThatThrownBy(() -> node.take("a")).isInstanceOf(LockLostException.class);
        assertThatThrownBy(() -> node.tryTake("a")).isInstanceOf(LockLostException.class);
        lock.close();
        node.take("a").close();
    }

    // ---- without renewal

    private static final LockRequest UNRENEWED = LockRequest.exclusive("a").withRenewal(false);

    @ParameterizedTest
    @EnumSource(names = {"EXCLUSIVE", "SHARED"})
    void lockWithoutRenewalThatExpiredHasToBeClosedBeforeItsThreadAcquiresItAnew(LockMode mode) {
        HeldLock old = node.client.acquire(LockRequest.of(mode, List.of("a")).withRenewal(false));
        HeldLock nested = node.client.acquire(LockRequest.shared("a"));
        node.pause(ofSeconds(31));
        assertThatThrownBy(() -> node.read("a"))
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining("token " + old.fencingToken())
                .hasMessageContaining(Thread.currentThread().getName())
                .hasMessageContaining("31 s ago");
        assertThatThrownBy(() -> node.client.tryAcquire(LockRequest.shared("a")))
                .isInstanceOf(LockLostException.class);
        assertThat(old.isHeld()).isFalse();
        assertThat(old.isLost()).isTrue();
        nested.close();
        old.close();
        try (HeldLock anew = node.tryTake("a").orElseThrow()) {
            assertThat(anew.fencingToken()).isGreaterThan(old.fencingToken());
            assertThat(rival.canTake("a")).isFalse();
        }
        assertThat(rival.canTake("a")).isTrue();
        assertThat(node.use().threads()).isZero();
        assertThat(node.use().queues()).isZero();
    }

    @Test
    void lockThatExpiredAndIsNotClosedIsNoneOfTheFreeOnes() {
        HeldLock old = node.client.acquire(UNRENEWED);
        List<LockRequest> both = List.of(UNRENEWED, LockRequest.exclusive("b").withRenewal(false));
        node.pause(ofSeconds(31));
        try (HeldLock other = node.client.tryAcquireAny(both).orElseThrow()) {
            assertThat(other.key()).isEqualTo("b");
        }
        old.close();
        try (HeldLock anew = node.client.tryAcquireAny(both).orElseThrow()) {
            assertThat(anew.key()).isEqualTo("a");
        }
    }

    /** It was lost and is given back, but it is to stay taken. */
    @Test
    void lostLockStaysTakenForItsMinimum() {
        HeldLock lock = node.client.acquire(UNRENEWED.withHoldAtLeast(ofSeconds(60)));
        node.pause(ofSeconds(31));
        lock.close();
        assertThat(lock.isLost()).isTrue();
        assertThat(rival.canTake("a")).isFalse();
    }

    // ---- lost or not

    @Test
    void releasedLockWasNotLost() {
        HeldLock lock = node.take("a");
        assertThat(lock.isLost()).isFalse();
        lock.close();
        assertThat(lock.isLost()).isFalse();
    }

    @Test
    void lossThatOnlyTheReleaseFindsIsKnownAfterIt() {
        HeldLock both = node.take("a", "b");
        HeldLock interrupting = node.client.acquire(LockRequest.exclusive("c").withOnLost(OnLost.INTERRUPT));
        takenOver("a");
        takenOver("c");
        assertThat(both.isLost()).isFalse();
        both.close();
        interrupting.close();
        assertThat(both.isLost()).isTrue();
        assertThat(both.parts()).extracting(HeldLock::isLost).containsExactly(true, false);
        assertThat(interrupting.isLost()).isTrue();
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void lockThatAnotherThreadGoesOnWithWasNotLostThoughThatOneLosesIt() throws Exception {
        HeldLock mine = node.read("a");
        HeldLock theirs = Other.does(() -> node.read("a")).get();
        mine.close();
        takenOver("a");
        theirs.close();
        assertThat(theirs.isLost()).isTrue();
        assertThat(mine.isLost()).isFalse();
    }

    private void takenOver(String key) {
        table.age(key);
        assertThat(rival.canTake(key)).isTrue();
    }

    // ---- what nested grants ask for

    @Test
    void nestedGrantWithALongerTtlMakesTheLeaseLast() {
        try (HeldLock outer = node.client.acquire(LockRequest.exclusive("a").withTtl(ofSeconds(20)))) {
            int calls = node.store.calls.get();
            node.client
                    .acquire(LockRequest.exclusive("a").withTtl(ofSeconds(10)))
                    .close();
            node.take("a").close();
            assertThat(node.store.calls).hasValue(calls);
            assertThat(outer.remaining()).isBetween(ofSeconds(10), ofSeconds(20));
            HeldLock inner = node.client.acquire(LockRequest.exclusive("a").withTtl(ofSeconds(60)));
            assertThat(inner.remaining()).isGreaterThan(ofSeconds(50));
            assertThat(table.millisLeft("a")).isGreaterThan(50_000);
            inner.close();
            assertThat(outer.remaining()).isGreaterThan(ofSeconds(50));
        }
    }

    @Test
    void nestedGrantGetsItsTtlOfALeaseThatIsNotRenewedThoughThatBeganLonger() {
        try (HeldLock outer = node.client.acquire(UNRENEWED)) {
            node.pause(ofSeconds(25));
            HeldLock inner = node.client.acquire(UNRENEWED.withTtl(ofSeconds(20)));
            assertThat(inner.remaining()).isBetween(ofSeconds(15), ofSeconds(20));
            assertThat(outer.remaining()).isBetween(ofSeconds(15), ofSeconds(20));
        }
    }

    @Test
    void nestedGrantThatCannotHaveItsTtlIsNone() {
        HeldLock outer = node.take("a");
        node.store.renewing = (leases, real) -> {
            throw new LockStoreException("off", null);
        };
        assertThatThrownBy(() -> node.client.acquire(LockRequest.exclusive("a").withTtl(ofSeconds(60))))
                .isInstanceOf(LockStoreException.class);
        assertThat(outer.isHeld()).isTrue();
        outer.close();
        assertThat(rival.canTake("a")).isTrue();
    }

    @Test
    void nestedGrantMayNotAskForRenewalOfALeaseThatHasNone() {
        try (HeldLock outer = node.client.acquire(UNRENEWED)) {
            assertThatIllegalStateException()
                    .isThrownBy(
                            () -> node.client.acquire(LockRequest.exclusive("a").withRenewal(true)))
                    .withMessageContaining("\"a\"")
                    .withMessageContaining("renewal");
            HeldLock inner = node.take("a");
            assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
            inner.close();
            assertThat(outer.isHeld()).isTrue();
        }
        assertThat(rival.canTake("a")).isTrue();
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
        assertThat(node.use().threads()).isZero();
        HeldLock again = node.take("a");
        assertThat(again.fencingToken()).isGreaterThan(lock.fencingToken());
        lock.close();
        assertThat(again.isHeld()).isTrue();
        again.close();
    }

    @Test
    void detachedLockBelongsToTheThreadThatClosesIt() throws Exception {
        HeldLock lock = node.take("a", "b");
        ((DetachableLock) lock).detach();
        assertThat(node.use().threads()).isZero();
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
    void outerLockStaysWithItsThreadIfTheNestedOneIsDetached() throws Exception {
        HeldLock outer = node.take("a");
        HeldLock nested = node.take("a");
        ((DetachableLock) nested).detach();
        try (HeldLock again = node.take("a")) {
            assertThat(again.fencingToken()).isEqualTo(outer.fencingToken());
        }
        outer.close();
        assertThat(node.use().threads()).isZero();
        assertThat(nested.isHeld()).isTrue();
        assertThat(rival.canTake("a")).isFalse();
        nested.close();
        assertThat(rival.canTake("a")).isTrue();
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
        assertThat(node.use().threads()).isZero();
    }
}
