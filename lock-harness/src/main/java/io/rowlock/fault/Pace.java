package io.rowlock.fault;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Has runs begin as fast as the machine can play them: a busy one gives answers up that would have come. Thread-safe: {@code this}
 * guards the fields.
 */
final class Pace {
    /** So many may go on at any time. */
    private static final int LEAST = 16;

    static final int MOST = 40;

    /** Above that share of its CPU time the machine is busy. */
    private static final double BUSY = 0.85;

    private static final long BETWEEN_LOOKS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final int STEP = 4;

    private final OperatingSystemMXBean machine = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private int allowed = LEAST;
    private int playing;
    private long lookedAt = System.nanoTime();

    <T> T keep(Supplier<T> run) throws InterruptedException {
        begin();
        try {
            return run.get();
        } finally {
            end();
        }
    }

    private synchronized void begin() throws InterruptedException {
        look();
        while (playing >= allowed) {
            TimeUnit.NANOSECONDS.timedWait(this, BETWEEN_LOOKS);
            look();
        }
        playing++;
    }

    /** What the machine says of a shorter time than that between two looks is worth little. */
    private synchronized void look() {
        long now = System.nanoTime();
        if (now - lookedAt >= BETWEEN_LOOKS) {
            lookedAt = now;
            allowed = machine.getCpuLoad() < BUSY ? Math.min(MOST, allowed + STEP) : Math.max(LEAST, allowed - STEP);
        }
    }

    private synchronized void end() {
        playing--;
        notifyAll();
    }
}
