package io.rowlock.benchmark.contender;

/** Whoever takes turns in rounds. */
public interface Participant {
    /** @return what it is called in results */
    String name();
}
