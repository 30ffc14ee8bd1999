package io.rowlock.benchmark.contender;

/** A contender, connected to its server. Thread-safe. */
public interface Locks extends AutoCloseable {
    /** How long an acquire waits before the benchmark counts it as hanging. */
    int PATIENCE_SECONDS = 60;

    /**
     * @return access for one thread, to be closed by it
     * @throws Exception if the contender cannot provide it
     */
    Worker worker() throws Exception;

    @Override
    void close();
}
