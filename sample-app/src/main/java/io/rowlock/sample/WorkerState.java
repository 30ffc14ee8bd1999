package io.rowlock.sample;

import java.util.SortedSet;

/**
 * What a worker thinks of itself.
 *
 * @param name its name
 * @param condition what was done to it
 * @param leads whether it is the coordinator
 * @param term since which term, or the last one in which it was; 0 if it never was
 * @param partitions those it may work on
 */
record WorkerState(String name, Condition condition, boolean leads, long term, SortedSet<Integer> partitions) {

    enum Condition {
        RUNNING,

        /** It stands still, and does not know that time goes by. */
        PAUSED,

        /** It was closed, and has given back what it had. */
        STOPPED,

        /** It is dead; what it had comes free with the ttl. */
        KILLED;

        boolean isOver() {
            return this == STOPPED || this == KILLED;
        }
    }
}
