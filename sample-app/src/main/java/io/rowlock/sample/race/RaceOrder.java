package io.rowlock.sample.race;

import io.rowlock.sample.work.Span;
import java.util.List;

/**
 * How nodes race for one lock.
 *
 * @param strategy how the lock is held
 * @param key the lock
 * @param millis for how long
 */
record RaceOrder(String strategy, String key, int millis) {

    /**
     * What a node did meanwhile.
     *
     * @param turns each time it held the lock, from when the lock was granted to when it was about to be given back
     * @param sql what was sent to the database for one of them, in order
     */
    record Done(List<Span> turns, List<String> sql) {

        static final Done NOTHING = new Done(List.of(), List.of());
    }
}
