package io.rowlock.benchmark.contender;

/** What not every contender can do or is. */
public enum Ability {
    /** Waits for a busy key. */
    WAITING,
    /** Has shared locks. */
    SHARED,
    /** Keeps a history of its grants. */
    HISTORY,
    /** Works on the database. */
    DATABASE,
    /** Works on Redis. */
    REDIS
}
