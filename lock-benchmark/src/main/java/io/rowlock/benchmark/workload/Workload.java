package io.rowlock.benchmark.workload;

/** Something contenders have to do, and how it is measured. */
public interface Workload {
    /** @return what it is called in results */
    String name();

    /** @return how many connections to the database it may have open at a time */
    default int connections() {
        return 100;
    }

    /**
     * Measures all contenders that take part, in turns.
     *
     * @param run what it belongs to
     * @throws Exception if it cannot be measured at all; the others go on
     */
    void measure(Run run) throws Exception;
}
