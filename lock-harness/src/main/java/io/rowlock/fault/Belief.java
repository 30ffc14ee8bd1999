package io.rowlock.fault;

import io.rowlock.HeldLock;
import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.stress.Oracle;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A lock a program was granted, and the last it learned of it. Guarded by its {@link Judge}. */
final class Belief {
    private static final long A_MOMENT = TimeUnit.MILLISECONDS.toNanos(500);

    final HeldLock lock;
    final Program program;
    private final Oracle.@Nullable Claim claim;
    private long asked;
    private long remaining;
    private boolean losable;

    /** Half of the time it had left when something of it became late: it is not given up before. */
    private long patience;

    private long late;
    private boolean left;
    private boolean lost;

    /** @param claim null if it came too late to be believed */
    Belief(HeldLock lock, Program program, Oracle.@Nullable Claim claim) {
        this.lock = lock;
        this.program = program;
        this.claim = claim;
        this.asked = System.nanoTime();
    }

    /**
     * Asks the lock again. While an exclusive lock becomes a shared one it says to other threads for a moment that it is not
     * held, so only what it goes on saying counts.
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
            if (claim != null) {
                claim.confirm(now + time);
            }
            return true;
        }
        long silent = System.nanoTime() - asked;
        lost = silent > A_MOMENT || silent > remaining;
        if (claim != null) {
            claim.doubt();
        }
        return !lost || silent > remaining;
    }

    /** From now on it may be lost early: something that was sent for it is late, and its holder does not wait for ever. */
    void mayBeLost() {
        losable = true;
        late = System.nanoTime();
        patience = lock.remaining().toNanos() / 2;
    }

    boolean isLosable() {
        return losable;
    }

    boolean isHeld() {
        return !left && lock.isHeld();
    }

    /** Returns true if it was given up because the server had not said for half of its term whether it became shared. */
    boolean isUnproven() {
        if (!losable || System.nanoTime() - late < patience - A_MOMENT) {
            return false;
        }
        try {
            lock.ensureHeld(Duration.ZERO);
            return false;
        } catch (LockLostException e) {
            return String.valueOf(e.getMessage()).contains("did not say whether it became shared");
        }
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
        return "%s of %s, %s, token %d".formatted(lock.key(), program.owner(), lock.mode(), lock.fencingToken());
    }
}
