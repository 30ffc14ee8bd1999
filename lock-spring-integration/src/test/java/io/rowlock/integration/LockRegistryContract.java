package io.rowlock.integration;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rowlock.LockLostException;
import io.rowlock.test.AfterServer;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.database.TestSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/** The demands of Spring Integration on its own distributed registries, with two nodes. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("LockNotBeforeTry") // what is held between the calls is what is tested
abstract class LockRegistryContract {
    private final ExecutorService threads = Executors.newCachedThreadPool(new CustomizableThreadFactory("test-"));
    private final String name = UUID.randomUUID().toString();
    private int keys;
    private String key;
    private RowlockLockRegistry registry;
    private RowlockLockRegistry other;
    private Node node;
    private Node rival;
    TestSchema schema;

    /** Starts an application whose locks have {@link #strategy()}. */
    abstract Node start();

    abstract String strategy();

    @BeforeServer
    void startNodes(TestSchema given) {
        schema = given;
        node = start();
        rival = start();
    }

    @AfterServer
    void stopNodes() {
        if (rival != null) {
            rival.close();
        }
        if (node != null) {
            node.close();
        }
    }

    @BeforeEach
    void newKey() {
        registry = node.registry();
        other = rival.registry();
        key = name + "-" + ++keys;
    }

    @AfterEach
    void keyIsFree() {
        await().untilAsserted(() -> assertThat(isFree()).isTrue());
    }

    // ---- one thread

    @Test
    void lockIsHeldUntilItIsUnlocked() {
        for (int i = 0; i < 10; i++) {
            DistributedLock lock = registry.obtain(key);
            lock.lock();
            assertThat(isFree()).isFalse();
            lock.unlock();
            assertThat(isFree()).isTrue();
        }
    }

    @Test
    void lockIsAcquiredInterruptibly() throws Exception {
        for (int i = 0; i < 10; i++) {
            DistributedLock lock = registry.obtain(key);
            lock.lockInterruptibly();
            assertThat(isFree()).isFalse();
            lock.unlock();
        }
    }

    @Test
    void lockIsReentrantThroughEachObjectOfItsKey() throws Exception {
        DistributedLock lock = registry.obtain(key);
        lock.lock();
        DistributedLock same = registry.obtain(key);
        assertThat(same).isEqualTo(lock).hasSameHashCodeAs(lock);
        same.lockInterruptibly();
        assertThat(same.tryLock()).isTrue();
        same.unlock();
        lock.unlock();
        assertThat(isFree()).isFalse();
        same.unlock();
        assertThat(isFree()).isTrue();
    }

    @Test
    void locksOfTwoKeysAreIndependent() {
        DistributedLock lock = registry.obtain(key);
        DistributedLock second = registry.obtain(key + "-second");
        assertThat(second).isNotEqualTo(lock);
        lock.lock();
        second.lock();
        second.unlock();
        lock.unlock();
    }

    @Test
    void locksOfTwoRegionsAreIndependent() {
        DistributedLock lock = registry.obtain(key);
        lock.lock();
        DistributedLock elsewhere = other.withRegion("files").obtain(key);
        assertThat(elsewhere.tryLock()).isTrue();
        elsewhere.unlock();
        lock.unlock();
    }

    @Test
    void lockWithTtlIsUnlockedWithoutOne() throws Exception {
        DistributedLock lock = registry.obtain(key);
        lock.lock(ofMinutes(1));
        assertThat(lock.tryLock(ofMillis(100), ofMinutes(2))).isTrue();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
        lock.unlock();
        assertThat(isFree()).isFalse();
        lock.unlock();
        assertThat(isFree()).isTrue();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
    }

    @Test
    void lockWithTtlOutlivesTheShorterOneOfItsRegistry() throws Exception {
        DistributedLock lock = registry.withoutRenewal(ofSeconds(1)).obtain(key);
        assertThat(lock.tryLock(ofMillis(100), ofSeconds(30))).isTrue();

        assertThat(onAnotherThread(() -> other.obtain(key).tryLock(2, SECONDS))).isFalse();
        lock.unlock();
    }

    @Test
    void heldLockIsRenewed() throws Exception {
        DistributedLock lock = registry.withTtl(ofSeconds(1)).obtain(key);
        lock.lock();

        assertThat(onAnotherThread(() -> other.obtain(key).tryLock(3, SECONDS))).isFalse();
        lock.unlock();
    }

    // ---- renewal by hand

    @Test
    void heldLockIsRenewedByHand() throws Exception {
        RowlockLockRegistry unrenewed = registry.withoutRenewal(ofSeconds(1));
        DistributedLock lock = unrenewed.obtain(key);
        lock.lock();
        unrenewed.renewLock(key);
        unrenewed.renewLock(key, ofSeconds(30));

        assertThat(onAnotherThread(() -> other.obtain(key).tryLock(2, SECONDS))).isFalse();
        lock.unlock();
        lock = registry.obtain(key);
        lock.lock();
        registry.renewLock(key);
        lock.unlock();
    }

    @Test
    void lockOfAnotherThreadOrOfNoneIsNotRenewed() throws Exception {
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(() -> registry.renewLock(key))
                .withMessageContaining("own");
        DistributedLock lock = registry.obtain(key);
        lock.lock();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> onAnotherThread(() -> {
                    registry.renewLock(key);
                    return true;
                }))
                .withCauseInstanceOf(IllegalMonitorStateException.class);
        lock.unlock();
    }

    @Test
    void lockOfAnotherStrategyIsNotRenewed() {
        String another = strategy().equals("lease") ? "unique-key" : "lease";
        DistributedLock lock = registry.withStrategy(another).obtain(key);
        lock.lock();
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(() -> registry.renewLock(key))
                .withMessageContaining("own");
        lock.unlock();
    }

    @Test
    void renewalOfALostLockTellsTheLoss() {
        DistributedLock lock = registry.obtain(key);
        lock.lock();
        node.expire("integration:" + key);
        await().pollInSameThread()
                .untilAsserted(() ->
                        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> registry.renewLock(key)));
        // The loss is known by now
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> registry.renewLock(key));
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> registry.renewLock(key, ofMinutes(1)));
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
    }

    @Test
    void regionOfRowlockItselfIsRefused() {
        for (String reserved : List.of("leader", "rowlock")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> registry.withRegion(reserved))
                    .withMessageContaining("reserved");
        }
    }

    // ---- losses

    @Test
    void lockThatRanOutIsFreeForOthersAndLostForItsThreadUntilUnlocked() throws Exception {
        DistributedLock lock = registry.withoutRenewal(ofSeconds(1)).obtain(key);
        lock.lock();
        await().until(() -> onAnotherThread(() -> other.obtain(key).tryLock(1, SECONDS) && unlocked(other)));

        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::tryLock);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
    }

    @Test
    void unlockOfLockThatWasTakenOverTellsTheLoss() {
        DistributedLock lock = registry.obtain(key);
        lock.lock();
        node.expire("integration:" + key);
        DistributedLock next = other.obtain(key);
        await().pollInSameThread().until(next::tryLock);

        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
        assertThat(isFree()).isFalse();
        next.unlock();
    }

    // ---- several threads

    @Test
    void secondThreadIsRefusedAndOwnsNothing() throws Exception {
        DistributedLock lock = registry.obtain(key);
        lock.lock();

        assertThat(onAnotherThread(() -> registry.obtain(key).tryLock(200, MILLISECONDS)))
                .isFalse();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> onAnotherThread(() -> unlocked(registry)))
                .withCauseInstanceOf(IllegalMonitorStateException.class);
        lock.unlock();
    }

    @Test
    void waitingThreadOfEitherNodeFollows() throws Exception {
        for (int i = 0; i < 20; i++) {
            RowlockLockRegistry second = i % 2 == 0 ? registry : other;
            DistributedLock lock = registry.obtain(key);
            CountDownLatch waits = new CountDownLatch(1);
            AtomicBoolean locked = new AtomicBoolean();
            lock.lock();
            Future<Boolean> follower = threads.submit(() -> {
                waits.countDown();
                second.obtain(key).lockInterruptibly();
                locked.set(true);
                return unlocked(second);
            });
            waits.await();
            assertThat(locked).isFalse();
            lock.unlock();
            assertThat(follower.get(30, SECONDS)).isTrue();
        }
    }

    @Test
    void onlyOneOfTwentyIsInside() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<Future<Boolean>> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            RowlockLockRegistry its = i % 2 == 0 ? registry : other;
            all.add(threads.submit(() -> {
                DistributedLock lock = its.obtain(key);
                assertThat(lock.tryLock(Long.MAX_VALUE, MILLISECONDS)).isTrue();
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                Thread.sleep(2);
                inside.decrementAndGet();
                lock.unlock();
                return true;
            }));
        }
        for (Future<Boolean> each : all) {
            assertThat(each.get(60, SECONDS)).isTrue();
        }
        assertThat(most).hasValue(1);
    }

    @Test
    void holderAndFollowerOfTwoNodesKeepTheirOrder() throws Exception {
        LinkedBlockingQueue<Integer> order = new LinkedBlockingQueue<>();
        DistributedLock lock = registry.obtain(key);
        lock.lock();
        Future<Boolean> follower = threads.submit(() -> {
            other.obtain(key).lock();
            order.addAll(List.of(3, 4));
            return unlocked(other);
        });
        order.add(1);
        Thread.sleep(50);
        order.add(2);
        lock.unlock();
        follower.get(30, SECONDS);
        assertThat(order).containsExactly(1, 2, 3, 4);
    }

    @Test
    void interruptEndsTheWaitOfLockInterruptiblyAndNotOfLock() throws Exception {
        DistributedLock lock = registry.obtain(key);
        lock.lock();
        AtomicBoolean interrupted = new AtomicBoolean();
        Thread interruptible = new Thread(() -> {
            try {
                registry.obtain(key).lockInterruptibly();
            } catch (InterruptedException e) {
                interrupted.set(true);
            }
        });
        AtomicBoolean flagged = new AtomicBoolean();
        Thread patient = new Thread(() -> {
            registry.obtain(key).lock(ofSeconds(30));
            flagged.set(Thread.currentThread().isInterrupted());
            unlocked(registry);
        });
        interruptible.start();
        patient.start();
        interruptible.interrupt();
        patient.interrupt();
        interruptible.join();
        assertThat(interrupted).isTrue();
        lock.unlock();
        patient.join();
        assertThat(flagged).isTrue();
    }

    @Test
    void executeLockedRunsUnderTheLockOrTimesOut() throws Exception {
        registry.executeLocked(key, () -> assertThat(isFree()).isFalse());
        int answer = registry.executeLocked(key, Duration.ofSeconds(5), () -> 42);
        assertThat(answer).isEqualTo(42);

        DistributedLock lock = other.obtain(key);
        lock.lock();
        assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() -> registry.executeLocked(key, Duration.ofMillis(100), () -> 42));
        lock.unlock();
    }

    @Test
    void failureToUnlockDoesNotHideWhatTheBodyHasThrown() {
        IllegalStateException thrown = new IllegalStateException("the body's");
        assertThatThrownBy(() -> registry.executeLocked(key, () -> {
                    expire();
                    throw thrown;
                }))
                .isSameAs(thrown)
                .satisfies(
                        failure -> assertThat(failure.getSuppressed()).hasOnlyElementsOfType(LockLostException.class));
        assertThatThrownBy(() -> registry.executeLocked(key, Duration.ofSeconds(20), () -> {
                    expire();
                    throw thrown;
                }))
                .isSameAs(thrown);
        assertThat(thrown.getSuppressed()).hasSize(2);
    }

    private void expire() throws Exception {
        node.expire("integration:" + key);
        await().until(this::isFree);
    }

    private boolean unlocked(RowlockLockRegistry from) {
        from.obtain(key).unlock();
        return true;
    }

    private <T> T onAnotherThread(Callable<T> action) throws Exception {
        return threads.submit(action).get();
    }

    private boolean isFree() {
        DistributedLock probe = other.obtain(key);
        try {
            return onAnotherThread(() -> {
                boolean locked = probe.tryLock();
                if (locked) {
                    probe.unlock();
                }
                return locked;
            });
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
