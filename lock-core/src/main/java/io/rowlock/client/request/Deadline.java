package io.rowlock.client.request;

import io.rowlock.LockInterruptedException;
import java.time.Duration;

/** Since when a caller waits, and until when. */
public record Deadline(Ticker ticker, long start, long patience) {
    public static Deadline after(Duration patience, Ticker ticker) {
        return new Deadline(ticker, ticker.nanoTime(), patience.toNanos());
    }

    public Duration waited() {
        return Duration.ofNanos(ticker.nanoTime() - start);
    }

    public long nanosLeft() {
        return patience - (ticker.nanoTime() - start);
    }

    public boolean isOver() {
        return nanosLeft() <= 0;
    }

    /** Sets the interrupt flag of the calling thread again. @return how its wait for a key ends */
    public LockInterruptedException interrupted(String key, InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new LockInterruptedException(key, waited(), cause);
    }
}
