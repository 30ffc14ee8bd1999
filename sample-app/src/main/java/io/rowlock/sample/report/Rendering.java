package io.rowlock.sample.report;

/** What came of one report. */
enum Rendering {
    RENDERED,

    /** All permits were held until the wait time was over. */
    GAVE_UP,

    /** The database or the permit failed. */
    FAILED
}
