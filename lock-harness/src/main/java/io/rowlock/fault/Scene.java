package io.rowlock.fault;

import java.util.List;

/** The server of one run and the programs on it. */
interface Scene extends AutoCloseable {
    /** The program whose requests meet faults. */
    Program subject();

    /** A new program that no fault meets. */
    Program other(String name);

    /** What the subject has not given back: connections, waiting threads. */
    List<String> leaks();

    /** Judges what the scenario has left behind. */
    default void judge(Judge judge) {}

    /** The run is over, and all programs are closed. */
    @Override
    void close();
}
