package io.rowlock.client;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockInterruptedException;
import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.store.Attempt;
import io.rowlock.store.LockStore.Drained;
import io.rowlock.store.LockStore.ExpiredLease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Who gets a lock, who waits for it, and what is left of an attempt that fails. */
abstract class AcquireContract extends TwoNodes {
    @Test
    void nodesExcludeEachOther() {
        HeldLock lock = node.take("a");
        assertThat(rival.canTake("a")).isFalse();
        assertThat(rival.canTake("b")).isTrue();
        lock.close();
        try (HeldLock next = rival.take("a")) {
            assertThat(next.fencingToken()).isGreaterThan(lock.fencingToken());
            assertThat(node.canTake("a")).isFalse();
        }
    }

    @Test
    void thousandFreeKeysAreAcquiredWithoutAWait() {
        List<String> keys = IntStream.range(0, 1_000).mapToObj(i -> "many:" + i).toList();
        LockRequest impatient = LockRequest.exclusive(keys).withWaitTime(Duration.ZERO);
        HeldLock lock = node.client.tryAcquire(impatient).orElseThrow();
        assertThat(lock.isHeld()).isTrue();
        assertThat(rival.canTake("many:0")).isFalse();
        assertThat(rival.canTake("many:999")).isFalse();
        lock.close();
        assertThat(rival.canTake("many:0") && rival.canTake("many:999")).isTrue();
    }

    @Test
    void noUpdateIsLostUnderContention() throws Exception {
        List<Other<Boolean>> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            LockNode mine = i % 2 == 0 ? node : rival;
            threads.add(Other.does(() -> {
                for (int round = 0; round < 8; round++) {
                    mine.client.execute(LockRequest.exclusive("sum").withWaitTime(ofSeconds(30)), this::readAndWrite);
                }
                return true;
            }));
        }
        for (Other<Boolean> thread : threads) {
            assertThat(thread.get()).isTrue();
        }
        assertThat(table.balance()).isEqualTo(64);
    }

    private void readAndWrite() {
        int balance = table.balance();
        table.setBalance(balance + 1);
    }

    @Test
    void waiterGetsTheLockOnceItIsReleased() throws Exception {
        HeldLock lock = node.take("a");
        Other<HeldLock> waiter = Other.does(() -> rival.take("a"));
        waiter.awaitWaiting();
        assertThat(waiter.isDone()).isFalse();
        lock.close();
        waiter.get().close();
        assertThat(table.isFree("a")).isTrue();
    }

    /** Another thread of the process asks the store. */
    @Test
    void busyBehindAThreadThatWaitsDoesNotNameTheOwnProcess() throws Exception {
        HeldLock lock = node.take("a");
        Other<HeldLock> first =
                Other.does(() -> rival.client.acquire(LockRequest.exclusive("a").withWaitTime(ofSeconds(60))));
        await().until(() -> rival.client.admin().waiting("a") == 1);
        assertThatThrownBy(() -> rival.client.acquire(LockRequest.exclusive("a").withWaitTime(ofMillis(200))))
                .isInstanceOfSatisfying(
                        LockNotAcquiredException.class,
                        busy -> assertThat(busy.holder()).isNotEqualTo(Optional.of("rival")));
        lock.close();
        first.get().close();
    }

    @Test
    void busyNamesKeyWaitAndHolder() {
        try (HeldLock lock = node.take("a")) {
            assertThatThrownBy(() ->
                            rival.client.acquire(LockRequest.exclusive("a").withWaitTime(ofMillis(200))))
                    .isInstanceOfSatisfying(LockNotAcquiredException.class, busy -> {
                        assertThat(busy.key()).isEqualTo("a");
                        assertThat(busy.holder()).contains("node");
                        assertThat(busy.waited()).isGreaterThanOrEqualTo(ofMillis(200));
                        assertThat(busy).hasMessageContaining("\"a\"").hasMessageContaining("node");
                    });
        }
    }

    @Test
    void zeroWaitTimeAsksOnce() {
        try (HeldLock lock = node.take("a")) {
            AtomicInteger attempts = new AtomicInteger();
            rival.store.acquiring = (request, real) -> {
                attempts.incrementAndGet();
                return real.call(request);
            };
            assertThatThrownBy(() ->
                            rival.client.acquire(LockRequest.exclusive("a").withWaitTime(Duration.ZERO)))
                    .isInstanceOf(LockNotAcquiredException.class);
            assertThat(rival.tryTake("a")).isEmpty();
            assertThat(attempts).hasValue(2);
        }
    }

    @Test
    void tryAcquireWaitsOnlyIfAskedTo() throws Exception {
        HeldLock lock = node.take("a");
        assertThat(rival.tryTake("a")).isEmpty();
        Other<Boolean> waiter = Other.does(() -> rival.client
                .tryAcquire(LockRequest.exclusive("a").withWaitTime(ofSeconds(20)))
                .map(got -> {
                    got.close();
                    return true;
                })
                .orElse(false));
        waiter.awaitWaiting();
        lock.close();
        assertThat(waiter.get()).isTrue();
    }

    @Test
    void threadsOfOneProcessAreServedInTheOrderTheyCame() throws Exception {
        HeldLock lock = node.take("a");
        List<Integer> served = new CopyOnWriteArrayList<>();
        List<Other<Boolean>> threads = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            int number = i;
            Other<Boolean> thread = Other.does(() -> {
                try (HeldLock mine = node.take("a")) {
                    return served.add(number);
                }
            });
            thread.awaitWaiting();
            threads.add(thread);
        }
        lock.close();
        for (Other<Boolean> thread : threads) {
            assertThat(thread.get()).isTrue();
        }
        assertThat(served).containsExactly(0, 1, 2, 3, 4, 5);
    }

    @Test
    void onlyOneThreadOfAProcessAsksForABusyKey() throws Exception {
        AtomicInteger asking = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        rival.store.acquiring = (request, real) -> {
            most.accumulateAndGet(asking.incrementAndGet(), Math::max);
            try {
                return real.call(request);
            } finally {
                asking.decrementAndGet();
            }
        };
        HeldLock lock = node.take("a");
        List<Other<Boolean>> threads = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            threads.add(Other.does(() -> {
                rival.take("a").close();
                return true;
            }));
        }
        threads.forEach(Other::awaitWaiting);
        lock.close();
        for (Other<Boolean> thread : threads) {
            assertThat(thread.get()).isTrue();
        }
        assertThat(most).hasValue(1);
    }

    @Test
    void readersShareAndWritersExcludeThem() throws Exception {
        HeldLock one = node.read("a");
        HeldLock other = rival.read("a");
        assertThat(newNode("third").canTake("a")).isFalse();
        one.close();
        other.close();
        assertThat(table.live("a")).isZero();
        try (HeldLock writer = rival.take("a")) {
            assertThat(node.client.tryAcquire(LockRequest.shared("a"))).isEmpty();
        }
    }

    @Test
    void localReadersShareOneLease() throws Exception {
        node = newNodeForReaders();
        HeldLock first = node.read("a");
        HeldLock second = Other.does(() -> node.read("a")).get();
        assertThat(second.fencingToken()).isEqualTo(first.fencingToken());
        assertThat(table.live("a")).isEqualTo(1);
        first.close();
        assertThat(second.isHeld()).isTrue();
        assertThat(rival.canTake("a")).isFalse();
        second.close();
        assertThat(rival.canTake("a")).isTrue();
    }

    @Test
    void waitingWriterIsNotStarvedByReadersThatKeepComing() throws Exception {
        node.read("a").close();
        AtomicBoolean done = new AtomicBoolean();
        List<Other<Boolean>> readers = Stream.generate(() -> Other.does(() -> {
                    while (!done.get()) {
                        try (HeldLock reader = node.read("a")) {
                            // readers overlap, so that there is always one
                            Thread.sleep(ThreadLocalRandom.current().nextLong(10, 40));
                        }
                    }
                    return true;
                }))
                .limit(4)
                .toList();
        try (HeldLock writer = rival.take("a")) {
            assertThat(writer.mode()).isEqualTo(LockMode.EXCLUSIVE);
        } finally {
            done.set(true);
        }
        for (Other<Boolean> reader : readers) {
            assertThat(reader.get()).isTrue();
        }
    }

    @Test
    void severalKeysAreTakenInOrderAndAllOfThem() {
        List<String> taken = new CopyOnWriteArrayList<>();
        node.store.acquiring = (request, real) -> {
            taken.add(request.key());
            return real.call(request);
        };
        try (HeldLock lock = node.take("c", "a", "b", "a")) {
            assertThat(lock.key()).isEqualTo("a, b, c");
            assertThat(lock.parts()).extracting(HeldLock::key).containsExactly("a", "b", "c");
            assertThat(lock.fencingToken())
                    .isEqualTo(lock.parts().stream()
                            .mapToLong(HeldLock::fencingToken)
                            .max()
                            .orElseThrow());
            assertThat(taken.stream().distinct()).containsExactly("a", "b", "c");
            assertThat(rival.canTake("a") || rival.canTake("b") || rival.canTake("c"))
                    .isFalse();
        }
        assertThat(table.isFree("a") && table.isFree("b") && table.isFree("c")).isTrue();
    }

    @Test
    void noneOfSeveralKeysIsLeftBehindIfOneIsBusy() {
        try (HeldLock busy = rival.take("b")) {
            LockRequest request =
                    LockRequest.exclusive("a", "b").withWaitTime(ofMillis(50)).withHoldAtLeast(ofSeconds(30));
            assertThatThrownBy(() -> node.client.acquire(request)).isInstanceOf(LockNotAcquiredException.class);
            assertThat(table.isFree("a")).isTrue();
        }
        assertThat(node.use().threads()).isZero();
    }

    @Test
    void keysLeaveNothingInMemory() {
        int keys = 300;
        for (int i = 0; i < keys; i++) {
            node.take("key-" + i).close();
        }
        assertThat(node.use().threads()).isZero();
        assertThat(node.use().queues()).isZero();
        assertThat(node.use().leases()).isZero();
    }

    @Test
    void interruptedWaiterLeavesNothingBehind() throws Exception {
        HeldLock lock = rival.take("a");
        Other<Boolean> polling = Other.does(() -> interrupted("a"));
        await().until(() -> node.store.calls.get() > 0);
        Other<Boolean> inLine = Other.does(() -> interrupted("a"));
        await().until(() -> node.client.admin().waiting("a") == 2);
        inLine.thread().interrupt();
        assertThat(inLine.get()).isTrue();
        polling.thread().interrupt();
        assertThat(polling.get()).isTrue();
        lock.close();
        assertThat(rival.canTake("a")).isTrue();
        assertThat(node.use().queues()).isZero();
        assertThat(node.use().leases()).isZero();
    }

    /** Waits for the lock. @return whether the wait was interrupted as it should be */
    private boolean interrupted(String key) {
        LockRequest patient = LockRequest.exclusive(key).withWaitTime(ofSeconds(60));
        assertThatThrownBy(() -> node.client.acquire(patient))
                .isInstanceOfSatisfying(LockInterruptedException.class, thrown -> {
                    assertThat(thrown.key()).isEqualTo(key);
                });
        return Thread.interrupted();
    }

    @Test
    void writerInterruptedWhileReadersLeaveGivesTheKeyBack() throws Exception {
        HeldLock reader = rival.read("a");
        CountDownLatch drains = new CountDownLatch(1);
        node.store.draining = (lease, real) -> {
            drains.countDown();
            return real.call(lease);
        };
        Other<Boolean> writer = Other.does(() -> interrupted("a"));
        drains.await();
        assertThat(rival.client.tryAcquire(LockRequest.shared("a").withTtl(ofSeconds(2))))
                .isPresent(); // reentrant: the reader's own thread
        writer.thread().interrupt();
        assertThat(writer.get()).isTrue();
        assertThat(Other.does(() -> newNode("third").read("a")).get().isHeld()).isTrue();
        assertThat(node.events).isEmpty();
        reader.close();
    }

    /** The first look has removed expired readers; it is not known whether the second has removed the last. */
    @Test
    void writerWhoseSecondLookForReadersFailsIsNotBusy() {
        HeldLock reader = rival.read("a");
        AtomicInteger looks = new AtomicInteger();
        node.store.draining = (lease, real) -> {
            if (looks.incrementAndGet() == 1) {
                return new Drained(false, List.of(new ExpiredLease(lease, Duration.ofSeconds(1))));
            }
            throw new LockStoreException("no answer", null);
        };
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> node.tryTake("a"))
                .withMessage("no answer");
        assertThat(looks).hasValue(2);
        reader.close();
    }

    @Test
    void interruptedThreadDoesNotStartToWaitButMayTry() throws Exception {
        Other<Boolean> thread = Other.does(() -> {
            Thread.currentThread().interrupt();
            boolean refused = interrupted("a");
            Thread.currentThread().interrupt();
            HeldLock lock = node.tryTake("a").orElseThrow();
            lock.close();
            return refused && Thread.interrupted();
        });
        assertThat(thread.get()).isTrue();
        assertThat(table.isFree("a")).isTrue();
    }

    @Test
    void answerThatComesAfterTheTtlIsNoGrantAndIsGivenBack() {
        AtomicInteger attempts = new AtomicInteger();
        node.store.acquiring = (request, real) -> {
            Attempt attempt = real.call(request);
            if (attempts.incrementAndGet() == 1) {
                node.pause(request.ttl());
            }
            return attempt;
        };
        LockRequest request = LockRequest.exclusive("a").withWaitTime(Duration.ofMinutes(5));
        try (HeldLock lock = node.client.acquire(request)) {
            assertThat(attempts.get()).isGreaterThan(1);
            assertThat(lock.remaining()).isPositive();
        }
        assertThat(node.events).extracting(event -> event.type().name()).containsExactly("ACQUIRED", "RELEASED");
    }

    @Test
    void answerThatComesAfterTheDeadlineTooIsAnError() {
        node.store.acquiring = (request, real) -> {
            Attempt attempt = real.call(request);
            node.pause(request.ttl());
            return attempt;
        };
        assertThatThrownBy(() -> node.take("a")).hasMessageContaining("later than its ttl");
        await().until(() -> table.isFree("a"));
        assertThat(node.events).isEmpty();
    }

    @Test
    void holdAtLeastKeepsTheKeyTakenThatLong() {
        HeldLock lock = node.client.acquire(LockRequest.exclusive("a").withHoldAtLeast(ofSeconds(3)));
        lock.close();
        assertThat(lock.isHeld()).isFalse();
        assertThat(rival.canTake("a")).isFalse();
        assertThat(node.canTake("a")).isFalse();
        assertThat(table.millisLeft("a")).isBetween(500L, 3_000L);
        await().atMost(ofSeconds(20)).until(() -> rival.canTake("a"));
    }

    @Test
    void heldLockIsKeptForAMinimumThatAnotherThreadSets() throws Exception {
        HeldLock lock = node.take("a");
        Other.does(() -> {
                    lock.holdAtLeast(ofSeconds(3));
                    lock.holdAtLeast(ofSeconds(1));
                    return true;
                })
                .get();
        lock.close();
        assertThat(rival.canTake("a")).isFalse();
        assertThat(table.millisLeft("a")).isBetween(500L, 3_000L);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lock.holdAtLeast(ofSeconds(1)));
        await().atMost(ofSeconds(20)).until(() -> rival.canTake("a"));
    }

    @Test
    void holdAtLeastThatIsOverDelaysNothing() {
        HeldLock lock = node.client.acquire(LockRequest.exclusive("a").withHoldAtLeast(ofSeconds(3)));
        node.pause(ofSeconds(4));
        lock.close();
        assertThat(rival.canTake("a")).isTrue();
    }
}
