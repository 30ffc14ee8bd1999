package io.rowlock;

/** The way in which a lock excludes others. */
public enum LockMode {
    /** A single holder, and no other in any mode: a write lock. */
    EXCLUSIVE,

    /** Any number of holders, and no exclusive one beside them: a read lock. */
    SHARED,

    /** So many holders at most as the request says, and no exclusive one beside them: a permit of a semaphore. */
    PERMIT;

    /**
     * Returns true if a thread that holds this mode may enter {@code wanted} without asking the database. A permit never is: each is
     * one more.
     *
     * @param wanted the mode asked for
     * @return true if this mode is the same as {@code wanted} or stronger
     */
    public boolean covers(LockMode wanted) {
        return wanted != PERMIT && (this == EXCLUSIVE || this == wanted);
    }
}
