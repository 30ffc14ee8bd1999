package io.rowlock.sample.stage;

/** A bean that the page shows as it is now, under the name of the bean. */
@FunctionalInterface
public interface Sight {

    /** Returns what is to be seen; equal to the last time if nothing has changed. */
    Object look();
}
