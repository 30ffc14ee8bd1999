package io.rowlock.client;

import io.rowlock.LockMode;

/**
 * What keeps one thread's lock: its grants, nested ones too, and the open transactions that need it. Decides when the lock
 * becomes shared and when it ends. Not thread-safe: {@link ThreadLock} guards it.
 */
final class ThreadLockState {
    private LockMode mode;
    private int grants;
    private int exclusiveGrants;
    private int transactions;
    private int unreachable;
    private boolean changing;
    private boolean ended;
    private boolean dropped;

    /** What is to be done when less keeps the lock than before. */
    enum Change {
        NONE,
        /** Only shared grants are left: {@link #downgradeEnded} must follow. */
        DOWNGRADE,
        /** Nothing keeps it. */
        END
    }

    ThreadLockState(LockMode mode) {
        this.mode = mode;
    }

    /** How it is used now; an exclusive lock that is being downgraded counts as shared. */
    LockMode mode() {
        return mode;
    }

    boolean isEnded() {
        return ended;
    }

    /** Whether it was given up with grants left. */
    boolean isDropped() {
        return dropped;
    }

    /** Whether a grant or a transaction keeps it. */
    boolean isInUse() {
        return grants > 0 || transactions > 0;
    }

    /** One more grant. */
    void enter(LockMode granted) {
        grants++;
        exclusiveGrants += granted == LockMode.EXCLUSIVE ? 1 : 0;
    }

    /** A grant is closed. */
    void leave(LockMode closed) {
        grants--;
        exclusiveGrants -= closed == LockMode.EXCLUSIVE ? 1 : 0;
    }

    /** A transaction keeps it. */
    void keptByTransaction() {
        transactions++;
    }

    /** Such a transaction has completed. */
    void transactionCompleted() {
        transactions--;
    }

    /** @param grantsOfThread how many of the grants only a thread that has ended could close */
    void abandoned(int grantsOfThread) {
        unreachable = grantsOfThread;
    }

    /** Whether a grant is left that a live thread can close. */
    boolean isClosable() {
        return grants > unreachable;
    }

    /** Ends it, though grants are left. @return false if it has ended, or is just becoming shared */
    boolean drop() {
        if (ended || changing) {
            return false;
        }
        ended = true;
        dropped = true;
        return true;
    }

    /** Decides what is to be done now. */
    Change settle() {
        if (changing || ended || transactions > 0 || exclusiveGrants > 0) {
            return Change.NONE;
        }
        if (grants == 0) {
            ended = true;
            return Change.END;
        }
        if (mode != LockMode.EXCLUSIVE) {
            return Change.NONE;
        }
        changing = true;
        mode = LockMode.SHARED;
        return Change.DOWNGRADE;
    }

    /** The downgrade is done, or was not possible. */
    void downgradeEnded() {
        changing = false;
    }
}
