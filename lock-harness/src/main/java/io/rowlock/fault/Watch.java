package io.rowlock.fault;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Has all judges look every few milliseconds. */
final class Watch {
    private static final Set<Judge> JUDGES = ConcurrentHashMap.newKeySet();
    private static final ScheduledExecutorService CLOCK = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "fault-watch");
        thread.setDaemon(true);
        return thread;
    });

    static {
        ScheduledFuture<?> unused =
                CLOCK.scheduleWithFixedDelay(() -> JUDGES.forEach(Watch::look), 15, 15, TimeUnit.MILLISECONDS);
    }

    private Watch() {}

    private static void look(Judge judge) {
        try {
            judge.look();
        } catch (RuntimeException e) {
            judge.violation("unexpected", e.toString());
        }
    }

    static void over(Judge judge) {
        JUDGES.add(judge);
    }

    static void leave(Judge judge) {
        JUDGES.remove(judge);
    }
}
