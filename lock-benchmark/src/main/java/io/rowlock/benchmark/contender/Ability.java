package io.rowlock.benchmark.contender;

/** What not every contender can do or is. */
public enum Ability {
    /** Waits for a busy key. */
    WAITING,
    /** Excludes threads of one process only: what a lock costs without a server. */
    IN_PROCESS,
    /** Has shared locks. */
    SHARED,
    /** Keeps a history of its grants. */
    HISTORY,
    /** Works on the database. */
    DATABASE,
    /** Works on Redis. */
    REDIS
}
