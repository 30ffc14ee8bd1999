package io.rowlock.client.request;

/** The only clock of the client: elapsed time, never the time of day. */
@FunctionalInterface
public interface Ticker {
    Ticker SYSTEM = System::nanoTime;

    /** @return a reading that only differences have a meaning of, as {@link System#nanoTime()} */
    long nanoTime();
}
