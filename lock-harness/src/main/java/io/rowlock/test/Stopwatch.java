package io.rowlock.test;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Measures a time without what the machine kept this process from running: what a thread that looks every 10 ms did not get to run. */
public final class Stopwatch {
    private static final long USUAL = TimeUnit.MILLISECONDS.toNanos(20);
    private static long looked = System.nanoTime();
    private static long stalls;

    static {
        Thread thread = new Thread(Stopwatch::look, "stopwatch");
        thread.setDaemon(true);
        thread.start();
    }

    private final long stalledBefore = stallsSoFar();
    private final long start = System.nanoTime();

    private Stopwatch() {}

    public static Stopwatch start() {
        return new Stopwatch();
    }

    /** Returns the time since the start, less {@link #stalled()}. */
    public Duration taken() {
        return Duration.ofNanos(System.nanoTime() - start).minus(stalled());
    }

    /** Returns how long this process did not get to run since the start. */
    public Duration stalled() {
        return Duration.ofNanos(stallsSoFar() - stalledBefore);
    }

    /** Also counts the stall that has just ended, if the thread that looks has not seen it yet. */
    private static synchronized long stallsSoFar() {
        long now = System.nanoTime();
        stalls += Math.max(0, now - looked - USUAL);
        looked = now;
        return stalls;
    }

    private static void look() {
        try {
            while (true) {
                TimeUnit.MILLISECONDS.sleep(10);
                long unused = stallsSoFar();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
