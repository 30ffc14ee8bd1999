package io.rowlock.client.request;

import java.time.Duration;

/** Since when a caller waits, and until when. */
public record Deadline(Ticker ticker, long start, long patience) {
    public static Deadline after(Duration patience, Ticker ticker) {
        return new Deadline(ticker, ticker.nanoTime(), patience.toNanos());
    }

    long nanosWaited() {
        return ticker.nanoTime() - start;
    }

    public Duration waited() {
        return Duration.ofNanos(nanosWaited());
    }

    public long nanosLeft() {
        return patience - nanosWaited();
    }

    public boolean isOver() {
        return nanosLeft() <= 0;
    }
}
