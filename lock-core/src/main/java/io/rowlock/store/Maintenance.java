package io.rowlock.store;

/** Removes what time has left behind in the tables. Thread-safe. */
@FunctionalInterface
public interface Maintenance {
    /**
     * Does one round. Never removes anything live. A row in use is left to the next round, and so is a table that cannot be cleaned,
     * with a warning.
     *
     * @return what was removed or marked, for people to read; empty if nothing was
     */
    String cleanUp();
}
