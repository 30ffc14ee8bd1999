package io.rowlock.client;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

/** The contracts of Lock and ReadWriteLock. */
@SuppressWarnings("LockNotBeforeTry") // what lock and unlock do is what is tested
abstract class LockViewContract extends TwoNodes {
    private Lock lock;
    private ReadWriteLock pair;
    private Actor other;

    @BeforeEach
    void view() {
        lock = node.client.lock("a");
        pair = node.client.readWriteLock("a");
        other = closing(new Actor());
    }

    @AfterEach
    void nothingIsLeft() {
        assertThat(node.use().threads()).isZero();
        await().until(() -> node.use().queues() == 0 && node.use().leases() == 0);
        await().until(() -> table.isFree("a")); // the rest of a lost one is released in the background
    }

    private List<Lock> all() {
        return List.of(lock, pair.writeLock(), pair.readLock());
    }

    @Test
    void lockedIsHeldAndUnlockedIsFree() {
        lock.lock();
        assertThat(rival.canTake("a")).isFalse();
        lock.unlock();
        assertThat(rival.canTake("a")).isTrue();
    }

    @Test
    void unlockingWhatTheThreadDoesNotHoldIsRefused() throws Exception {
        for (Lock each : all()) {
            assertThatExceptionOfType(IllegalMonitorStateException.class)
                    .isThrownBy(each::unlock)
                    .withMessageContaining("\"a\"");
            each.lock();
            Other<Boolean> stranger = Other.does(() -> {
                each.unlock();
                return true;
            });
            assertThat(stranger.failure()).isInstanceOf(IllegalMonitorStateException.class);
            each.unlock();
            assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(each::unlock);
        }
    }

    @Test
    void lockIsUnlockedByAViewOfAnotherTtl() {
        LockRequest request = LockRequest.exclusive("a");
        node.client.lock(request.withTtl(ofSeconds(50))).lock();
        node.client.lock(request.withTtl(ofSeconds(40))).unlock();
        assertThat(rival.canTake("a")).isTrue();
    }

    @Test
    void readLockIsNotUnlockedByTheWriteLock() {
        pair.readLock().lock();
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(() -> pair.writeLock().unlock());
        pair.readLock().unlock();
    }

    @Test
    void eachLockOfAReentrantThreadNeedsItsUnlock() throws Exception {
        for (Lock each : all()) {
            each.lock();
            each.lockInterruptibly();
            assertThat(each.tryLock()).isTrue();
            assertThat(each.tryLock(1, SECONDS)).isTrue();
            for (int i = 0; i < 3; i++) {
                each.unlock();
                assertThat(rival.canTake("a")).isFalse();
            }
            each.unlock();
            assertThat(rival.canTake("a")).isTrue();
        }
    }

    @Test
    void everyViewOfAKeyIsTheSameLock() {
        node.client.lock("a").lock();
        assertThat(node.client.readWriteLock("a").writeLock().tryLock()).isTrue();
        node.client.readWriteLock("a").writeLock().unlock();
        node.client.lock("a").unlock();
    }

    @Test
    void viewOfARequestHasItsSettings() throws Exception {
        LockRequest request = LockRequest.shared("a").withTtl(ofSeconds(7)).withWaitTime(ofSeconds(60));
        Lock view = node.client.lock(request);
        view.lock();
        assertThat(node.client.holder("a")).hasValueSatisfying(holder -> {
            assertThat(holder.mode()).isEqualTo(LockMode.SHARED);
            assertThat(holder.remaining()).isLessThanOrEqualTo(ofSeconds(7));
        });
        Lock same = node.client.lock(request);
        assertThat(same)
                .isEqualTo(view)
                .hasSameHashCodeAs(view)
                .isNotEqualTo(node.client.lock(request.withTtl(ofSeconds(8))));
        assertThat(rival.client.lock(request)).isNotEqualTo(view);
        assertThat(node.client.lock(LockRequest.exclusive("a"))).isEqualTo(lock);
        same.unlock();
        assertThat(rival.canTake("a")).isTrue();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.client.lock(request.withStrategy("none")))
                .withMessageContaining("none");
    }

    @Test
    void tryLockOfARequestWithAWaitTimeTriesOnce() throws Exception {
        lock.lock();
        Lock view = rival.client.lock(LockRequest.exclusive("a").withWaitTime(ofSeconds(60)));
        assertThat(view.tryLock()).isFalse();
        lock.unlock();
    }

    @Test
    void severalKeysAreOneView() {
        Lock view = node.client.lock(LockRequest.exclusive("b", "a"));
        assertThat(view).hasToString("exclusive lock of \"a, b\"");
        view.lock();
        assertThat(rival.canTake("a")).isFalse();
        assertThat(rival.canTake("b")).isFalse();
        view.unlock();
        assertThat(rival.canTake("b")).isTrue();
    }

    @Test
    void clientKnowsWhoHoldsAKey() throws Exception {
        assertThat(rival.client.isLocked("a")).isFalse();
        assertThat(node.client.isHeldByCurrentThread("a")).isFalse();
        try (HeldLock held = node.take("a")) {
            assertThat(rival.client.isLocked("a")).isTrue();
            assertThat(rival.client.holder("a")).hasValueSatisfying(holder -> {
                assertThat(holder.owner()).isEqualTo("node");
                assertThat(holder.strategy()).isEqualTo(node.store.strategy());
                assertThat(holder.mode()).isEqualTo(LockMode.EXCLUSIVE);
                assertThat(holder.fencingToken()).isEqualTo(held.fencingToken());
            });
            assertThat(node.client.isHeldByCurrentThread("a")).isTrue();
            assertThat(node.client.isHeldByCurrentThread("b")).isFalse();
            assertThat(rival.client.isHeldByCurrentThread("a")).isFalse();
            assertThat(other.does(() -> node.client.isHeldByCurrentThread("a"))).isFalse();
            table.forceRelease("a");
            assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> held.extend(ofSeconds(30)));
            assertThat(node.client.isHeldByCurrentThread("a")).isFalse();
        }
        assertThat(rival.client.holder("a")).isEmpty();
    }

    @Test
    void tryLockOfABusyLockFailsAtOnceInAnotherThread() throws Exception {
        lock.lock();
        assertThat(other.does(() -> lock.tryLock())).isFalse();
        assertThat(other.does(() -> pair.readLock().tryLock())).isFalse();
        assertThat(rival.client.lock("a").tryLock()).isFalse();
        lock.unlock();
        assertThat(other.does(() -> lock.tryLock())).isTrue();
        other.runs(lock::unlock);
    }

    @Test
    void timedTryLockWaitsThatLongAndNotLonger() throws Exception {
        lock.lock();
        long start = System.nanoTime();
        assertThat(other.does(() -> lock.tryLock(200, MILLISECONDS))).isFalse();
        assertThat(System.nanoTime() - start)
                .isBetween(ofMillis(200).toNanos(), ofSeconds(10).toNanos());
        assertThat(other.does(() -> lock.tryLock(-1, SECONDS))).isFalse();
        Future<Boolean> waiter = other.starts(() -> lock.tryLock(Long.MAX_VALUE, SECONDS));
        await().pollDelay(ofMillis(100)).until(() -> !waiter.isDone());
        lock.unlock();
        assertThat(waiter.get(20, SECONDS)).isTrue();
        other.runs(lock::unlock);
    }

    @Test
    void lockWaitsUntilItIsFreeAndKeepsAnInterrupt() throws Exception {
        for (Lock each : all()) {
            node.client.lock("a").lock();
            Other<Boolean> waiter = Other.does(() -> {
                each.lock();
                boolean flag = Thread.interrupted();
                each.unlock();
                return flag;
            });
            waiter.awaitWaiting();
            waiter.thread().interrupt();
            await().pollDelay(ofMillis(150)).until(() -> !waiter.isDone());
            lock.unlock();
            assertThat(waiter.get()).isTrue();
        }
    }

    @Test
    void interruptibleWaitsEndWithAnInterrupt() throws Exception {
        lock.lock();
        for (Lock each : all()) {
            Other<Boolean> waiter = Other.does(() -> {
                each.lockInterruptibly();
                return true;
            });
            Other<Boolean> timed = Other.does(() -> each.tryLock(30, SECONDS));
            waiter.awaitWaiting();
            timed.awaitWaiting();
            waiter.thread().interrupt();
            timed.thread().interrupt();
            assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
            assertThat(timed.failure()).isInstanceOf(InterruptedException.class);
        }
        lock.unlock();
    }

    @Test
    void threadThatIsInterruptedAlreadyGetsNoInterruptibleLockButMayTry() throws Exception {
        for (Lock each : all()) {
            Other<Boolean> interruptible = Other.does(() -> {
                Thread.currentThread().interrupt();
                each.lockInterruptibly();
                return true;
            });
            assertThat(interruptible.failure()).isInstanceOf(InterruptedException.class);
            Other<Boolean> timed = Other.does(() -> {
                Thread.currentThread().interrupt();
                return each.tryLock(1, SECONDS);
            });
            assertThat(timed.failure()).isInstanceOf(InterruptedException.class);
            assertThat(Other.does(() -> {
                                Thread.currentThread().interrupt();
                                boolean got = each.tryLock();
                                each.unlock();
                                return got && Thread.interrupted();
                            })
                            .get())
                    .isTrue();
        }
    }

    @Test
    void thereAreNoConditions() {
        all().forEach(each ->
                assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(each::newCondition));
    }

    /** Else two threads, each with a lock that its transaction keeps, would wait for each other for ever. */
    @Test
    void transactionThatKeepsALockDoesNotWaitForAnotherWithoutEnd() throws Exception {
        HeldLock busy = rival.take("b");
        Lock second = node.client.lock(LockRequest.exclusive("b").withWaitTime(ofMillis(100)));
        for (Callable<Boolean> wait : List.<Callable<Boolean>>of(
                () -> {
                    second.lock();
                    return true;
                },
                () -> {
                    second.lockInterruptibly();
                    return true;
                })) {
            Other<Boolean> waiter = Other.does(() -> {
                TransactionSynchronizationManager.initSynchronization();
                TransactionSynchronizationManager.setActualTransactionActive(true);
                try {
                    lock.lock();
                    lock.unlock();
                    return wait.call();
                } finally {
                    TransactionSynchronizationUtils.triggerAfterCompletion(
                            TransactionSynchronization.STATUS_ROLLED_BACK);
                    TransactionSynchronizationManager.clear();
                }
            });
            assertThat(waiter.failure())
                    .isInstanceOf(LockNotAcquiredException.class)
                    .hasMessageContainingAll("\"b\"", "rival", "transaction");
        }
        busy.close();
    }

    @Test
    void readersShareAndExcludeWriters() throws Exception {
        pair.readLock().lock();
        assertThat(other.does(() -> pair.readLock().tryLock())).isTrue();
        assertThat(rival.client.readWriteLock("a").readLock().tryLock()).isTrue();
        assertThat(Other.does(() -> pair.writeLock().tryLock()).get()).isFalse();
        pair.readLock().unlock();
        rival.client.readWriteLock("a").readLock().unlock();
        assertThat(Other.does(() -> pair.writeLock().tryLock()).get()).isFalse();
        other.runs(() -> pair.readLock().unlock());
    }

    @Test
    void writerMayReadAndGoesOnAsAReader() {
        pair.writeLock().lock();
        pair.readLock().lock();
        pair.writeLock().unlock();
        assertThat(rival.client.readWriteLock("a").readLock().tryLock()).isTrue();
        rival.client.readWriteLock("a").readLock().unlock();
        assertThat(rival.canTake("a")).isFalse();
        pair.readLock().unlock();
    }

    @Test
    void readerIsNeverUpgraded() {
        pair.readLock().lock();
        assertThatIllegalStateException().isThrownBy(() -> pair.writeLock().lock());
        assertThatIllegalStateException().isThrownBy(() -> pair.writeLock().lockInterruptibly());
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(() -> pair.writeLock().unlock());
        pair.readLock().unlock();
    }

    @Test
    void readerThatOnlyTriesToWriteIsToldThatItCannot() throws Exception {
        pair.readLock().lock();
        assertThat(pair.writeLock().tryLock()).isFalse();
        assertThat(pair.writeLock().tryLock(20, SECONDS)).isFalse();
        pair.readLock().unlock();
        assertThat(pair.writeLock().tryLock()).isTrue();
        pair.writeLock().unlock();
    }

    @Test
    void unlockThatFindsTheLossItselfSaysSoAndUnlocks() {
        for (Lock each : all()) {
            each.lock();
            table.age("a");
            assertThat(rival.canTake("a")).isTrue();
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(each::unlock)
                    .withMessageContaining("\"a\"");
            assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(each::unlock);
        }
    }

    @Test
    void unlockOfALostLockSaysSoAndUnlocks() {
        lock.lock();
        node.pause(ofSeconds(31));
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
    }

    @Test
    void outageIsNoBusyLock() {
        table.hide();
        try {
            for (Lock each : all()) {
                assertThatExceptionOfType(LockStoreException.class).isThrownBy(each::lock);
                assertThatExceptionOfType(LockStoreException.class).isThrownBy(each::tryLock);
            }
        } finally {
            table.unhide();
        }
    }

    @Test
    void badKeyIsRefusedWhenTheViewIsMade() {
        assertThatIllegalArgumentException().isThrownBy(() -> node.client.lock(""));
        assertThatIllegalArgumentException().isThrownBy(() -> node.client.readWriteLock("x".repeat(256)));
    }

    @Test
    void viewSaysWhatItIs() {
        assertThat(pair.readLock()).hasToString("shared lock of \"a\"");
        assertThat(lock).hasToString("exclusive lock of \"a\"");
    }
}
