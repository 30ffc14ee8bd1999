package io.rowlock.client;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.groups.Tuple.tuple;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockEvent;
import io.rowlock.LockMode;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Permits, as programs use them. */
abstract class SemaphoreContract extends TwoNodes {
    private static final String KEY = "a";

    @AfterEach
    void nothingIsLeft() {
        assertThat(node.use().threads()).isZero();
        await().until(() -> node.use().queues() == 0 && node.use().leases() == 0);
        assertThat(table.live(KEY)).isZero();
    }

    private static LockRequest permit(int permits) {
        return LockRequest.permit(KEY, permits).withWaitTime(ofSeconds(30));
    }

    private static LockRequest tryPermit(int permits) {
        return LockRequest.permit(KEY, permits).withWaitTime(ofMillis(0));
    }

    @Test
    void asManyHoldersAsThePermitsSay() {
        try (HeldLock first = node.client.acquire(permit(2));
                HeldLock second = rival.client.acquire(permit(2))) {
            assertThat(first.mode()).isEqualTo(LockMode.PERMIT);
            assertThat(second.fencingToken()).isEqualTo(first.fencingToken());
            assertThat(node.client.tryAcquire(permit(2).withWaitTime(ofMillis(0))))
                    .isEmpty();
            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .isThrownBy(() -> rival.client.acquire(tryPermit(2)))
                    .satisfies(busy -> assertThat(busy.holder()).hasValue("node"));
        }
        assertThat(rival.canTake(KEY)).isTrue();
    }

    @Test
    void secondPermitOfAThreadIsASecondPermit() {
        try (HeldLock first = node.client.acquire(permit(2))) {
            try (HeldLock second = node.client.acquire(permit(2))) {
                assertThat(rival.client.tryAcquire(tryPermit(2))).isEmpty();
                assertThat(second.isHeld()).isTrue();
            }
            rival.client.tryAcquire(tryPermit(2)).orElseThrow().close();
            assertThat(first.isHeld()).isTrue();
            assertThat(node.client.isHeldByCurrentThread(KEY)).isTrue();
        }
    }

    @Test
    void waiterEntersWhenAPermitIsReleased() throws Exception {
        HeldLock first = node.client.acquire(permit(2));
        HeldLock second = node.client.acquire(permit(2));
        Other<HeldLock> waiter = Other.does(() -> rival.client.acquire(permit(2)));
        await().until(() -> table.isWaitedFor(KEY));
        assertThat(waiter.isDone()).isFalse();
        second.close();
        waiter.get().close();
        first.close();
    }

    /** The waiter only looks now and then, so a node that asks again at once would be quicker. */
    @Test
    void nodeThatReleasesAndAsksAgainDoesNotOvertakeTheQueue() throws Exception {
        for (int round = 0; round < 5; round++) {
            List<String> order = new CopyOnWriteArrayList<>();
            HeldLock held = node.client.acquire(permit(1));
            Other<Boolean> waiting = Other.does(() -> rival.client.execute(permit(1), () -> order.add("waiter")));
            await().until(() -> table.isWaitedFor(KEY));
            held.close();
            node.client.execute(permit(1), () -> order.add("newcomer"));
            assertThat(waiting.get()).isTrue();
            assertThat(order).containsExactly("waiter", "newcomer");
        }
    }

    @Test
    void threadsOfOneProcessHoldAsManyAtATime() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<Other<Boolean>> threads = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            LockNode at = i % 2 == 0 ? node : rival;
            threads.add(Other.does(() -> at.client.execute(permit(3), () -> {
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                await().pollDelay(ofMillis(20)).until(() -> most.get() > 1);
                return inside.decrementAndGet() >= 0;
            })));
        }
        for (Other<Boolean> thread : threads) {
            assertThat(thread.get()).isTrue();
        }
        assertThat(most).hasValueBetween(2, 3);
    }

    @Test
    void noPermitStaysUnusedWhileOthersWait() throws Exception {
        Semaphore mayLeave = new Semaphore(0);
        AtomicInteger inside = new AtomicInteger();
        List<Other<Integer>> threads = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            LockNode at = i % 2 == 0 ? node : rival;
            threads.add(Other.does(() -> at.client.execute(permit(3), () -> {
                inside.incrementAndGet();
                mayLeave.acquire();
                return inside.decrementAndGet();
            })));
        }
        for (int left = 6; left > 0; left--) {
            int expected = Math.min(left, 3);
            await().untilAsserted(() -> assertThat(inside).hasValue(expected));
            mayLeave.release();
            int still = left - 1;
            await().until(() -> threads.stream().filter(each -> !each.isDone()).count() == still);
        }
    }

    @Test
    void exclusiveLockWaitsForThePermitsAndKeepsNewOnesOut() throws Exception {
        HeldLock permit = node.client.acquire(permit(2));
        Other<HeldLock> writer = Other.does(() -> rival.take(KEY));
        await().until(() -> table.live(KEY) == 2);
        assertThat(node.client.tryAcquire(tryPermit(2))).isEmpty();
        permit.close();
        try (HeldLock exclusive = writer.get()) {
            assertThat(exclusive.isHeld()).isTrue();
            assertThat(node.client.tryAcquire(tryPermit(2))).isEmpty();
        }
        node.client.tryAcquire(tryPermit(2)).orElseThrow().close();
    }

    @Test
    void threadThatWouldWaitForItselfIsRefused() {
        try (HeldLock permit = node.client.acquire(permit(2))) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> node.take(KEY))
                    .withMessageContaining("release the permit first");
            assertThat(permit.isHeld()).isTrue();
        }
        try (HeldLock lock = node.take(KEY)) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> node.client.acquire(permit(2)))
                    .withMessageContaining("release the lock first");
            assertThat(lock.isHeld()).isTrue();
        }
        try (HeldLock reader = node.read(KEY);
                HeldLock permit = node.client.acquire(permit(1))) {
            assertThat(reader.isHeld()).isTrue();
            assertThat(permit.isHeld()).isTrue();
        }
    }

    @Test
    @SuppressWarnings("LockNotBeforeTry")
    void viewTakesAPermitEachTime() {
        Lock view = node.client.lock(LockRequest.permit(KEY, 2));
        view.lock();
        view.lock();
        assertThat(view.tryLock()).isFalse();
        view.unlock();
        assertThat(view.tryLock()).isTrue();
        view.unlock();
        view.unlock();
    }

    @Test
    void permitIsShownAndReported() {
        try (HeldLock permit = node.client.acquire(permit(2))) {
            assertThat(node.client.holder(KEY)).get().satisfies(holder -> {
                assertThat(holder.mode()).isEqualTo(LockMode.PERMIT);
                assertThat(holder.fencingToken()).isEqualTo(permit.fencingToken());
            });
        }
        await().untilAsserted(() -> assertThat(node.events)
                .extracting(LockEvent::type, LockEvent::mode)
                .containsExactly(
                        tuple(LockEvent.Type.ACQUIRED, LockMode.PERMIT),
                        tuple(LockEvent.Type.RELEASED, LockMode.PERMIT)));
    }

    @Test
    void permitIsKeptForItsMinimum() {
        node.client.acquire(permit(1).withHoldAtLeast(ofSeconds(20))).close();
        assertThat(rival.client.tryAcquire(tryPermit(1))).isEmpty();
        table.age(KEY);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 1_001})
    void numberOutOfRangeIsRefused(int permits) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockRequest.permit(KEY, permits))
                .withMessageContaining("1 to 1000")
                .withMessageContaining(String.valueOf(permits));
    }

    @Test
    void numberBelongsToPermits() {
        LockRequest exclusive = LockRequest.exclusive(KEY);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LockRequest(
                        exclusive.keys(),
                        exclusive.mode(),
                        null,
                        null,
                        null,
                        null,
                        exclusive.holdAtLeast(),
                        exclusive.name(),
                        exclusive.onLost(),
                        3))
                .withMessageContaining("mode PERMIT");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockRequest.of(LockMode.PERMIT, List.of(KEY)))
                .withMessageContaining("1 to 1000");
    }
}
