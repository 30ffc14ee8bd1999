package io.rowlock.sample.watch;

/** Something that the page shows as it is now. */
public interface Sight {
    /** The name of the server-sent event. */
    String topic();

    /** What is to be seen; equal to the last time if nothing has changed. */
    Object look();
}
