package io.rowlock.autoconfigure.transaction;

/** What becomes of a guarded transaction on another database than the lock tables, which no row of a lock can protect. */
public enum Uncovered {
    /** It commits, after a warning. */
    WARN,
    /** It is refused its commit. */
    REFUSE
}
