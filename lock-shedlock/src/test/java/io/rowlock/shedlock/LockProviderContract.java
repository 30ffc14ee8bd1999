package io.rowlock.shedlock;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.test.AfterServer;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.database.TestSchema;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The demands of ShedLock on a lock provider, and what this one adds, with two nodes. */
@ExtendWith(OutputCaptureExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class LockProviderContract {
    private final String name = "job-" + UUID.randomUUID();
    private int jobs;
    private String job;
    private Node node;
    private Node rival;
    private RowlockLockProvider provider;
    TestSchema schema;

    /** Starts an application with the strategy. */
    abstract Node start();

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
    void newJob() {
        provider = node.provider();
        job = name + "-" + ++jobs;
    }

    // ---- what ShedLock asks of every provider

    @Test
    void lockIsHeldUntilItIsUnlocked() {
        SimpleLock lock = locked(ofMinutes(5), ZERO);
        assertThat(isLocked()).isTrue();

        lock.unlock();
        assertThat(isLocked()).isFalse();
    }

    @Test
    void secondLockIsRefusedToTheSameThread() {
        SimpleLock lock = locked(ofMinutes(5), ZERO);

        assertThat(provider.lock(job(ofMinutes(5), ZERO))).isEmpty();
        lock.unlock();
    }

    @Test
    void secondLockIsRefusedToAnotherThreadAndToAnotherNode() {
        SimpleLock lock = locked(ofMinutes(5), ZERO);

        assertThat(onAnotherThread(() -> provider.lock(job(ofMinutes(5), ZERO))))
                .isEmpty();
        assertThat(rival.provider().lock(job(ofMinutes(5), ZERO))).isEmpty();
        lock.unlock();
    }

    @Test
    void locksOfTwoNamesAreIndependent() {
        SimpleLock lock = locked(ofMinutes(5), ZERO);
        Optional<SimpleLock> other = provider.lock(job(job + "-other", ofMinutes(5), ZERO));

        assertThat(other).isPresent();
        other.get().unlock();
        lock.unlock();
    }

    @Test
    void lockIsFreeRightAfterUnlock() {
        for (int i = 0; i < 10; i++) {
            SimpleLock lock = locked(ofMinutes(5), ZERO);
            assertThat(provider.lock(job(ofMinutes(5), ZERO))).isEmpty();
            lock.unlock();
        }
    }

    @Test
    void lockThatIsNotRenewedEndsAfterLockAtMostFor() {
        provider = provider.withRenewal(false);
        SimpleLock lock = locked(ofMillis(50), ZERO);

        await().until(() -> !isLocked());
        lockedEventually(provider).orElseThrow().unlock(); // on another thread
        assertThat(provider.lock(job(ofMinutes(5), ZERO)))
                .as("of the thread that has not unlocked yet")
                .isEmpty();
        lock.unlock();
        locked(ofMinutes(5), ZERO).unlock();
    }

    @Test
    void unlockedLockIsKeptForLockAtLeastFor() {
        locked(ofSeconds(4), ofSeconds(2)).unlock();

        assertThat(provider.lock(job(ofMinutes(5), ZERO))).isEmpty();
        assertThat(rival.provider().lock(job(ofMinutes(5), ZERO))).isEmpty();
        lockedEventually(rival.provider()).orElseThrow().unlock();
    }

    @Test
    void unlockedLockCanNeitherBeUnlockedNorExtended() {
        SimpleLock lock = locked(ofMinutes(5), ZERO);
        lock.unlock();

        assertThatIllegalStateException().isThrownBy(lock::unlock);
        assertThatIllegalStateException().isThrownBy(() -> lock.extend(ofSeconds(10), ZERO));
        assertThat(isLocked()).isFalse();
    }

    @Test
    void eightThreadsOfTwoNodesLoseNoUpdate() throws Exception {
        new CounterRace(node.provider(), rival.provider(), job).run();
    }

    // ---- what it asks of one that extends

    @Test
    void extendedLockOutlivesItsFirstLockAtMostFor() {
        provider = provider.withRenewal(false);
        SimpleLock lock = locked(ofSeconds(1), ZERO);

        SimpleLock longer = lock.extend(ofSeconds(30), ZERO).orElseThrow();
        assertThat(rival.locks().tryAcquire(LockRequest.exclusive(job).withWaitTime(ofSeconds(2))))
                .isEmpty();
        longer.unlock();
        // The server may still grant a row lock to the session of the wait that is over
        await().until(() -> !isLocked());
    }

    @Test
    void expiredLockIsNotExtendedAndFreeForItsThread() {
        provider = provider.withRenewal(false);
        SimpleLock lock = locked(ofMillis(1), ZERO);
        await().until(() -> !isLocked());

        assertThat(lock.extend(ofSeconds(10), ZERO)).isEmpty();
        assertThat(isLocked()).isFalse();
        locked(ofSeconds(10), ZERO).unlock();
    }

    @Test
    void lockThatWasTakenOverIsNotExtended() {
        SimpleLock lock = locked(ofSeconds(10), ZERO);
        node.expire(job);
        HeldLock other = await().until(() -> rival.locks().tryAcquire(LockRequest.exclusive(job)), Optional::isPresent)
                .orElseThrow();

        assertThat(lock.extend(ofSeconds(10), ofSeconds(5))).isEmpty();
        assertThat(other.isHeld()).isTrue();
        other.close();
        assertThat(isLocked()).isFalse();
    }

    @Test
    void extendedLockIsKeptForItsNewLockAtLeastFor() {
        SimpleLock lock = locked(ofSeconds(10), ZERO);

        lock.extend(ofSeconds(10), ofSeconds(9)).orElseThrow().unlock();
        assertThat(isLocked()).isTrue();
        assertThat(provider.lock(job(ofMinutes(5), ZERO))).isEmpty();
    }

    @Test
    void extendedLockCanNeitherBeExtendedAgainNorUnlocked() {
        SimpleLock lock = locked(ofSeconds(10), ZERO);
        SimpleLock longer = lock.extend(ofSeconds(10), ZERO).orElseThrow();

        assertThatIllegalStateException().isThrownBy(() -> lock.extend(ofSeconds(10), ZERO));
        assertThatIllegalStateException().isThrownBy(lock::unlock);
        assertThat(isLocked()).isTrue();
        longer.unlock();
    }

    // ---- what this one adds

    @Test
    void lockOfLivingNodeIsRenewed() {
        SimpleLock lock = locked(ofSeconds(1), ZERO);
        Optional<HeldLock> other =
                rival.locks().tryAcquire(LockRequest.exclusive(job).withWaitTime(ofSeconds(3)));

        assertThat(other).isEmpty();
        lock.unlock();
    }

    @Test
    void lockAtMostForBelowASecondIsRoundedUpAndSaidOnce(CapturedOutput output) {
        locked(ofMillis(20), ZERO).unlock();
        locked(ofMillis(30), ZERO).unlock();

        assertThat(output.getAll().lines().filter(line -> line.contains("rounded up")))
                .singleElement()
                .asString()
                .contains("WARN", job, "PT0.02S", "PT1S");
    }

    @Test
    void lockMayBeUnlockedAndExtendedOnAnotherThread() {
        SimpleLock lock = locked(ofSeconds(10), ZERO);
        SimpleLock longer =
                onAnotherThread(() -> lock.extend(ofSeconds(20), ZERO)).orElseThrow();

        onAnotherThread(() -> {
            longer.unlock();
            return true;
        });
        assertThat(isLocked()).isFalse();
    }

    /** As ShedLock's KeepAliveLockProvider does. */
    @Test
    void lockExtendedOnAnotherThreadIsKeptForItsNewLockAtLeastFor() {
        SimpleLock lock = locked(ofSeconds(10), ZERO);
        SimpleLock longer =
                onAnotherThread(() -> lock.extend(ofSeconds(10), ofSeconds(9))).orElseThrow();

        onAnotherThread(() -> {
            longer.unlock();
            return true;
        });
        assertThat(isLocked()).isTrue();
    }

    @Test
    void annotationOfTheSameNameExcludesTheJob() {
        HeldLock held = rival.locks().acquire(LockRequest.exclusive(job));

        assertThat(provider.lock(job(ofMinutes(5), ZERO))).isEmpty();
        held.close();
        locked(ofMinutes(5), ZERO).unlock();
    }

    private static <T> T onAnotherThread(Supplier<T> action) {
        return CompletableFuture.supplyAsync(action).join();
    }

    private SimpleLock locked(Duration atMost, Duration atLeast) {
        return provider.lock(job(atMost, atLeast)).orElseThrow();
    }

    private LockConfiguration job(Duration atMost, Duration atLeast) {
        return job(job, atMost, atLeast);
    }

    static LockConfiguration job(String name, Duration atMost, Duration atLeast) {
        return new LockConfiguration(ClockProvider.now(), name, atMost, atLeast);
    }

    private Optional<SimpleLock> lockedEventually(RowlockLockProvider from) {
        return await().until(() -> from.lock(job(ofMinutes(5), ZERO)), Optional::isPresent);
    }

    /** Asks by trying: row locks of other nodes are not found everywhere. */
    private boolean isLocked() {
        Optional<HeldLock> taken = rival.locks().tryAcquire(LockRequest.exclusive(job));
        taken.ifPresent(HeldLock::close);
        return taken.isEmpty();
    }
}
