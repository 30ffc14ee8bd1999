package io.rowlock.stress;

import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.CommitCheck;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.WaitQueue.QueuePosition;
import java.time.Duration;
import java.util.Optional;

/**
 * One thread that guards transactions with row locks, in line or not, whose sessions are killed when it hurts most, and that
 * pauses between the check and the commit while others are after its key.
 */
final class RowLockActor {
    private static final Duration PATIENCE = Duration.ofMillis(300);

    private final RowLockNode node;
    private final Keys keys;
    private final Ledger ledger;
    private final CommitCheck fence;
    private final Oracle oracle;
    private final Dice dice;

    RowLockActor(RowLockNode node, Keys keys, Ledger ledger, Oracle oracle, Dice dice) {
        this.node = node;
        this.keys = keys;
        this.ledger = ledger;
        this.fence = node.fence(ledger);
        this.oracle = oracle;
        this.dice = dice;
    }

    void once() {
        LockMode mode = dice.percent(60) ? LockMode.EXCLUSIVE : LockMode.SHARED;
        LeaseRequest request = new LeaseRequest(
                keys.any(dice), mode, node.name, RowLockNode.TTL, dice.nonce(), StoreNode.TIME_LIMIT, 0);
        try {
            Optional<Lease> lease = dice.percent(60) ? inLine(request) : taken(node.store.tryAcquire(request));
            lease.ifPresent(taken -> transact(taken, node.session()));
        } catch (RuntimeException e) {
            oracle.count("lock call failed: " + Errors.name(e));
            if (Errors.isDeadlock(e)) {
                oracle.violation("deadlock surfaced", e.getMessage());
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private Optional<Lease> inLine(LeaseRequest request) throws InterruptedException {
        Optional<QueuePosition> joined = node.store.queue().join(request);
        if (joined.isEmpty()) {
            return Optional.empty();
        }
        try (QueuePosition ticket = joined.get()) {
            long session = node.session();
            long end = System.nanoTime() + PATIENCE.toNanos();
            for (long left = PATIENCE.toNanos(); left > 0; left = end - System.nanoTime()) {
                ticket.await(Duration.ofNanos(left));
                if (dice.percent(3)) {
                    node.kill(session);
                }
                Optional<Lease> lease = taken(ticket.tryAcquire(request));
                if (lease.isPresent()) {
                    oracle.count("grants in line");
                    return lease;
                }
            }
        }
        oracle.count("tickets left");
        return Optional.empty();
    }

    private static Optional<Lease> taken(Attempt attempt) {
        return attempt instanceof Attempt.Granted granted ? Optional.of(granted.lease()) : Optional.empty();
    }

    private void transact(Lease lease, long session) {
        node.startRenewing(lease);
        try {
            if (lease.mode() == LockMode.EXCLUSIVE) {
                ledger.change(lease.key(), () -> {}, () -> disturb(session), () -> check(lease, session));
            } else {
                ledger.look(lease.key(), () -> {}, () -> disturb(session), () -> check(lease, session));
            }
        } finally {
            node.stopRenewing(lease);
        }
        if (dice.percent(97)) {
            oracle.count(node.store.release(lease) ? "releases" : "releases of what was lost");
        } else {
            node.leave(lease);
        }
    }

    private void disturb(long session) {
        if (dice.percent(15)) {
            node.kill(session);
        }
        pause();
    }

    private void pause() {
        if (dice.percent(10)) {
            dice.pause(20, 150);
        } else {
            dice.pause(0, 4);
        }
    }

    /** From here to the commit no other owner may get in, whatever becomes of the lock's session. */
    private void check(Lease lease, long session) {
        boolean held;
        try {
            held = fence.isHeld(lease);
        } catch (RuntimeException e) {
            if (Errors.isLockWait(e)) {
                oracle.violation("barrier kept", "the check of " + lease + " waited for too long: " + e.getMessage());
            }
            throw e;
        }
        if (!held) {
            throw new LockLostException(lease.key(), lease.fence(), "the check found it lost");
        }
        judge(lease);
        if (dice.percent(40)) {
            node.kill(session);
        }
        pause();
    }

    /** Claims end with a session, not with a deadline, so only the order of the tokens is judged; it is certain here. */
    private void judge(Lease lease) {
        long later = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        oracle.enter(lease.key(), lease.mode(), lease.fence(), lease.toString(), later)
                .leave();
    }
}
