package io.rowlock.client.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.client.FullDisk;
import io.rowlock.client.request.Ticker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

class WakeableThreadTests {
    private final AtomicInteger runs = new AtomicInteger();

    private WakeableThread thread(LongUnaryOperator task) {
        return new WakeableThread("alarm-under-test", Ticker.SYSTEM, now -> {
            runs.incrementAndGet();
            return task.applyAsLong(now);
        });
    }

    @Test
    void doesNothingUntilAnAlarm() {
        try (WakeableThread thread = thread(WakeableThread::never)) {
            await().during(Duration.ofMillis(100)).until(() -> runs.get() == 0);
            thread.at(System.nanoTime());
            await().until(() -> runs.get() == 1);
        }
    }

    @Test
    void earlierAlarmWins() {
        try (WakeableThread thread = thread(WakeableThread::never)) {
            thread.at(System.nanoTime() + Duration.ofHours(1).toNanos());
            thread.at(System.nanoTime() + Duration.ofMillis(10).toNanos());
            thread.at(System.nanoTime() + Duration.ofHours(2).toNanos());
            await().until(() -> runs.get() == 1);
        }
    }

    @Test
    void runsAgainWhenItAskedTo() {
        try (WakeableThread thread = thread(now -> now + Duration.ofMillis(1).toNanos())) {
            thread.at(System.nanoTime());
            await().until(() -> runs.get() >= 5);
        }
    }

    @Test
    void alarmDuringARunIsNotMissed() {
        AtomicInteger alarms = new AtomicInteger();
        WakeableThread[] self = new WakeableThread[1];
        try (WakeableThread thread = thread(now -> {
            if (alarms.incrementAndGet() < 100) {
                self[0].at(now);
            }
            return WakeableThread.never(now);
        })) {
            self[0] = thread;
            thread.at(System.nanoTime());
            await().until(() -> runs.get() == 100);
        }
    }

    @Test
    void errorEndsNothing() {
        try (WakeableThread thread = thread(now -> {
            if (runs.get() == 1) {
                throw new AssertionError("a defect");
            }
            return WakeableThread.never(now);
        })) {
            thread.at(System.nanoTime());
            await().until(() -> runs.get() == 2);
        }
    }

    @Test
    void errorThatCannotBeLoggedEndsNothingEither() {
        FullDisk.during(WakeableThread.class, () -> {
            try (WakeableThread thread = thread(now -> {
                throw new AssertionError("a defect");
            })) {
                thread.at(System.nanoTime());
                await().until(() -> runs.get() >= 2);
            }
        });
    }

    @Test
    void closedThreadEnds() {
        WakeableThread thread = thread(WakeableThread::never);
        thread.close();
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(some -> some.getName().equals("alarm-under-test")));
        assertThat(runs).hasValue(0);
    }
}
