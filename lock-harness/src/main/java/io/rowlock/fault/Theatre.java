package io.rowlock.fault;

import java.time.Duration;

/** Servers on which scenarios are played, several at a time. Thread-safe. */
interface Theatre extends AutoCloseable {
    /**
     * A run begins.
     *
     * @param key of the lock it is about, used by no other run
     * @param plan what the subject's requests meet
     * @param patience after how long the subject gives an answer up
     */
    Scene begin(Scenario scenario, String key, FaultPlan plan, Duration patience) throws Exception;

    @Override
    void close();
}
