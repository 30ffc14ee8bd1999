package io.rowlock.benchmark.contender;

/** One thread's access to a contender's locks. Holds one lock at a time. Not thread-safe. */
public interface Worker extends AutoCloseable {
    /**
     * Does what a contender needs once a key.
     *
     * @param key the key
     * @throws Exception whatever the contender throws
     */
    default void prepare(String key) throws Exception {}

    /**
     * Takes a key exclusively, waiting for it if the contender can wait.
     *
     * @param key the key
     * @throws Exception whatever the contender throws; also if it is busy and the contender cannot wait
     */
    void lock(String key) throws Exception;

    /**
     * Takes a key exclusively that others take shared.
     *
     * @param key the key
     * @throws Exception whatever the contender throws
     */
    default void lockAgainstReaders(String key) throws Exception {
        lock(key);
    }

    /**
     * Takes a key shared.
     *
     * @param key the key
     * @throws Exception whatever the contender throws
     */
    default void lockShared(String key) throws Exception {
        throw new UnsupportedOperationException(getClass().getSimpleName() + " has no shared locks");
    }

    /**
     * Gives back what was taken last.
     *
     * @throws Exception whatever the contender throws
     */
    void unlock() throws Exception;

    @Override
    default void close() throws Exception {}
}
