package io.rowlock.store;

/** The outcome of a renewal for one lease. */
public enum Renewal {
    /** The lease lasts for the ttl from when the statement was sent, if the answer arrived while the lease still lasted. */
    RENEWED,

    /** The lease has expired, or was taken over or released; it cannot be renewed any more. */
    LOST,

    /** The lease could not be reached, for example because another transaction has its row locked; try again. */
    UNKNOWN
}
