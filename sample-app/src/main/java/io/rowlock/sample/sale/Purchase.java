package io.rowlock.sample.sale;

/** What came of one buyer's attempt. */
enum Purchase {
    BOUGHT,
    SOLD_OUT,

    /** The lock was busy until the wait time was over. */
    GAVE_UP,

    /** The database or the lock failed; nothing was sold. */
    FAILED
}
