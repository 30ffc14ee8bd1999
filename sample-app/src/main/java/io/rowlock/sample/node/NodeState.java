package io.rowlock.sample.node;

/** How a node is. */
public enum NodeState {
    /** Its process was started and is not ready yet. */
    STARTING,
    /** It does what it is asked to. */
    UP,
    /** Its process stands still, or its statements do where a process cannot be made to. */
    PAUSED,
    /** It was asked to end, and releases what it holds. */
    STOPPING,
    /** There is no process. */
    DOWN
}
