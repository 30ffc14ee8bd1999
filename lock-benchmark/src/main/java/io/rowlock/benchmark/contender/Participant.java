package io.rowlock.benchmark.contender;

/** What takes turns in rounds. */
public interface Participant {
    /** @return what it is called in results */
    String name();
}
