package io.rowlock.fault;

/** Something on its way between a program and its server that is held up. */
interface Late {
    /** It reaches its destination. */
    void deliver();
}
