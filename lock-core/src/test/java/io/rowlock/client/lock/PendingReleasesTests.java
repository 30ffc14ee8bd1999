package io.rowlock.client.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.LockMode;
import io.rowlock.client.Requests;
import io.rowlock.client.request.Deadline;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.client.request.Ticker;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PendingReleasesTests {
    private static final Duration LONG = Duration.ofMinutes(5);

    private final Background background = new Background();
    private final PendingReleases pending = new PendingReleases(Ticker.SYSTEM, background);
    private final CountDownLatch hanging = new CountDownLatch(1);

    @AfterEach
    void close() {
        hanging.countDown();
        pending.close();
    }

    private boolean hang() {
        try {
            hanging.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return true;
    }

    @Test
    void releaseThatHangsDelaysNoOtherKeys() {
        AtomicBoolean tried = new AtomicBoolean();
        pending.add(Requests.of("a", LockMode.EXCLUSIVE), this::hang, LONG);
        background.later(this::hang, 0);
        pending.add(Requests.of("b", LockMode.EXCLUSIVE), () -> tried.compareAndSet(false, true), LONG);
        await().untilTrue(tried);
        await().until(() -> pending.size() == 1);
    }

    @Test
    void moreThanAThousandAreLeftToTheirTtl() {
        for (int i = 0; i < 1_100; i++) {
            pending.add(Requests.of("a", LockMode.EXCLUSIVE), this::hang, LONG);
        }
        assertThat(pending.size()).isEqualTo(1_000);
    }

    @Test
    void threadThatWantsTheKeyTriesNoMoreOfThemAfterItsDeadline() {
        AtomicLong clock = new AtomicLong();
        Background ended = new Background();
        assertThat(ended.close(0)).isTrue();
        try (PendingReleases slow = new PendingReleases(clock::get, ended)) {
            AtomicInteger tries = new AtomicInteger();
            ResolvedRequest request = Requests.of("a", LockMode.EXCLUSIVE);
            for (int i = 0; i < 5; i++) {
                slow.add(request, () -> clock.addAndGet(3) > 0 && tries.incrementAndGet() > 0, LONG);
            }
            assertThat(slow.clear(request.id(), Deadline.after(Duration.ofNanos(5), clock::get)))
                    .isTrue();
            assertThat(tries).hasValue(2);
            assertThat(slow.clear(request.id(), Deadline.after(Duration.ZERO, clock::get)))
                    .isTrue();
            assertThat(tries).as("one at least").hasValue(3);
        }
    }

    @Test
    void whatWasNeverAnsweredIsTriedFirst() {
        AtomicLong clock = new AtomicLong();
        Background ended = new Background();
        assertThat(ended.close(0)).isTrue();
        try (PendingReleases slow = new PendingReleases(clock::get, ended)) {
            ResolvedRequest request = Requests.of("a", LockMode.EXCLUSIVE);
            for (int i = 0; i < 30; i++) {
                slow.add(request, () -> false, LONG);
            }
            Deadline none = Deadline.after(LONG, clock::get);
            assertThat(slow.clear(request.id(), none)).isFalse();
            clock.addAndGet(Duration.ofSeconds(1).toNanos());
            slow.add(request, () -> true, LONG);
            assertThat(slow.clear(request.id(), Deadline.after(Duration.ZERO, clock::get)))
                    .isTrue();
        }
    }

    @Test
    void closingWaitsForWhatIsToBeDoneAtOnceAndTriesTheRestOnceMore() {
        AtomicBoolean done = new AtomicBoolean();
        AtomicBoolean ended = new AtomicBoolean();
        background.later(
                () -> {
                    await().pollDelay(Duration.ofMillis(200)).until(() -> true);
                    done.set(true);
                },
                0);
        pending.add(Requests.of("a", LockMode.EXCLUSIVE), () -> ended.compareAndSet(false, true), LONG);
        pending.close();
        assertThat(done).isTrue();
        assertThat(ended).isTrue();
    }
}
