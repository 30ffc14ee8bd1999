package io.rowlock.fault;

import io.rowlock.HeldLock;
import io.rowlock.LockMode;
import io.rowlock.stress.Oracle;

/** A lock a program was granted, and what it was told of it last. Guarded by its {@link Judge}. */
final class Belief {
    final HeldLock lock;
    final Program program;
    private final Oracle.Claim claim;
    private long asked;
    private long remaining;
    private boolean doubted;
    private boolean left;
    private boolean lost;

    /** @param claim null if it came too late to be believed */
    Belief(HeldLock lock, Program program, Oracle.Claim claim) {
        this.lock = lock;
        this.program = program;
        this.claim = claim;
        this.asked = System.nanoTime();
    }

    /**
     * Asks the lock again. While an exclusive lock becomes a shared one it says for an instant that it is not held, so that
     * counts only if it says so twice.
     *
     * @return false if it was lost though its time was not over
     */
    boolean look() {
        if (left || lost) {
            return true;
        }
        long now = System.nanoTime();
        long time = lock.remaining().toNanos();
        if (time > 0) {
            asked = now;
            remaining = time;
            doubted = false;
            if (claim != null) {
                claim.confirm(now + time);
            }
            return true;
        }
        boolean early = System.nanoTime() - asked < remaining;
        lost = !early || doubted;
        doubted = true;
        if (lost && claim != null) {
            claim.leave();
        }
        return !early || !lost;
    }

    boolean isHeld() {
        return !left && lock.isHeld();
    }

    /** To be called before the lock is closed. */
    void leave() {
        left = true;
        if (claim != null) {
            claim.leave();
        }
    }

    boolean excludes(Belief other) {
        return lock.key().equals(other.lock.key())
                && (lock.mode() == LockMode.EXCLUSIVE || other.lock.mode() == LockMode.EXCLUSIVE);
    }

    @Override
    public String toString() {
        return "%s of %s, %s, token %d".formatted(lock.key(), program.owner, lock.mode(), lock.fencingToken());
    }
}
