package io.rowlock.benchmark.contender;

/** What not every contender can do or is. */
public enum Ability {
    /** Waits for a busy key. */
    WAITING,
    /** Excludes threads of one process only: what a lock costs without a server. */
    IN_PROCESS,
    /** Has shared locks. */
    SHARED,
    /** Shows what one setting costs, and is measured only where that shows. */
    VARIANT,
    /** Needs something once for each key, before it is measured. */
    PREPARES,
    /** Works on the database. */
    DATABASE,
    /** Works on Redis. */
    REDIS
}
