package io.rowlock;

/** How a lock excludes others. */
public enum LockMode {
    /** One holder, and no other in any mode: a write lock. */
    EXCLUSIVE,

    /** Any number of holders, and no exclusive one beside them: a read lock. */
    SHARED;

    /**
     * Whether a thread that holds this mode may enter {@code wanted} without asking the database.
     *
     * @param wanted the mode asked for
     * @return true if this mode is the same as {@code wanted} or stronger
     */
    public boolean covers(LockMode wanted) {
        return this == EXCLUSIVE || wanted == SHARED;
    }
}
