package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AlarmThreadTests {
    private final AtomicInteger runs = new AtomicInteger();

    private AlarmThread thread(AlarmThread.Task task) {
        return new AlarmThread("alarm-under-test", Ticker.SYSTEM, now -> {
            runs.incrementAndGet();
            return task.runAndSayNext(now);
        });
    }

    @Test
    void doesNothingUntilAnAlarm() {
        try (AlarmThread thread = thread(AlarmThread::never)) {
            await().during(Duration.ofMillis(100)).until(() -> runs.get() == 0);
            thread.at(System.nanoTime());
            await().until(() -> runs.get() == 1);
        }
    }

    @Test
    void earlierAlarmWins() {
        try (AlarmThread thread = thread(AlarmThread::never)) {
            thread.at(System.nanoTime() + Duration.ofHours(1).toNanos());
            thread.at(System.nanoTime() + Duration.ofMillis(10).toNanos());
            thread.at(System.nanoTime() + Duration.ofHours(2).toNanos());
            await().until(() -> runs.get() == 1);
        }
    }

    @Test
    void runsAgainWhenItAskedTo() {
        try (AlarmThread thread = thread(now -> now + Duration.ofMillis(1).toNanos())) {
            thread.at(System.nanoTime());
            await().until(() -> runs.get() >= 5);
        }
    }

    @Test
    void alarmDuringARunIsNotMissed() {
        AtomicInteger alarms = new AtomicInteger();
        AlarmThread[] self = new AlarmThread[1];
        try (AlarmThread thread = thread(now -> {
            if (alarms.incrementAndGet() < 100) {
                self[0].at(now);
            }
            return AlarmThread.never(now);
        })) {
            self[0] = thread;
            thread.at(System.nanoTime());
            await().until(() -> runs.get() == 100);
        }
    }

    @Test
    void errorEndsNothing() {
        try (AlarmThread thread = thread(now -> {
            if (runs.get() == 1) {
                throw new AssertionError("a defect");
            }
            return AlarmThread.never(now);
        })) {
            thread.at(System.nanoTime());
            await().until(() -> runs.get() == 2);
        }
    }

    @Test
    void closedThreadEnds() {
        AlarmThread thread = thread(AlarmThread::never);
        thread.close();
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(some -> some.getName().equals("alarm-under-test")));
        assertThat(runs).hasValue(0);
    }
}
