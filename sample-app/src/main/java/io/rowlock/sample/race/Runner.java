package io.rowlock.sample.race;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.sample.stage.Outbox;
import io.rowlock.sample.stage.Span;
import io.rowlock.sample.stage.SqlWatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Service;

/** Acquires one lock and releases it, again and again, against the other nodes. */
@Service
class Runner {

    static final String PROGRESS = "race progress";
    private static final long TELL_EVERY_MICROS = 200_000;
    private static final int SOME_ROUND = 20; // not the first, which finds no row of the key yet

    private final LockClient locks;
    private final Outbox outbox;

    Runner(LockClient locks, Outbox outbox) {
        this.locks = locks;
        this.outbox = outbox;
    }

    /** Runs for a while. */
    Laps run(String key, String strategy, int millis) {
        LockRequest request = LockRequest.exclusive(key).withStrategy(strategy).withWaitTime(Duration.ofSeconds(20));
        List<Span> laps = new ArrayList<>();
        List<String> sql = new ArrayList<>();
        long end = Span.now() + TimeUnit.MILLISECONDS.toMicros(millis);
        long told = Span.now();
        while (Span.now() < end) {
            laps.add(
                    laps.size() == SOME_ROUND
                            ? SqlWatch.record(sql, () -> acquireAndRelease(request))
                            : acquireAndRelease(request));
            if (Span.now() - told > TELL_EVERY_MICROS) {
                told = Span.now();
                outbox.happened(PROGRESS, Map.of("strategy", strategy, "turns", laps.size()));
            }
        }
        return new Laps(laps, sql);
    }

    private Span acquireAndRelease(LockRequest request) {
        try (HeldLock lock = locks.acquire(request)) {
            long granted = Span.now();
            lock.ensureHeld(Duration.ZERO);
            return Span.since(granted);
        }
    }

    /**
     * The run of one node.
     *
     * @param laps the times at which it held the lock, from the grant to just before the release
     * @param sql the statements that were sent to the database for one of them, in order
     */
    record Laps(List<Span> laps, List<String> sql) {}
}
