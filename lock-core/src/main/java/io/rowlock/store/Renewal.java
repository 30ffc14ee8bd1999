package io.rowlock.store;

/** What a renewal came to for one lease. */
public enum Renewal {
    /** It lasts for the ttl from when the statement was sent, if the answer arrived while the lease still lasted. */
    RENEWED,

    /** It has run out or was taken over or released; it cannot be renewed any more. */
    LOST,

    /** It could not be reached, for example because another transaction has its row locked; try again. */
    UNKNOWN
}
