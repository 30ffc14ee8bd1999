package io.rowlock.client;

import java.time.Duration;

/** Since when a caller waits, and until when. */
record Deadline(Ticker ticker, long start, long patience) {
    static Deadline after(Duration patience, Ticker ticker) {
        return new Deadline(ticker, ticker.nanoTime(), patience.toNanos());
    }

    long nanosWaited() {
        return ticker.nanoTime() - start;
    }

    Duration waited() {
        return Duration.ofNanos(nanosWaited());
    }

    long nanosLeft() {
        return patience - nanosWaited();
    }

    boolean isOver() {
        return nanosLeft() <= 0;
    }
}
