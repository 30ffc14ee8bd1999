package io.rowlock.sample.stage;

/**
 * A node to look at.
 *
 * @param name its name
 * @param state its state
 * @param pid the number of its process; 0 if there is none
 */
public record NodeView(String name, State state, long pid) {

    /** The state of a node. */
    public enum State {
        /** Its process was started and is not ready yet. */
        STARTING,
        /** It answers requests. */
        UP,
        /** Its process stands still. */
        PAUSED,
        /** It is shutting down, and releases what it holds. */
        STOPPING,
        /** There is no process. */
        DOWN
    }
}
