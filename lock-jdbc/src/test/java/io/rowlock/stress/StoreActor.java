package io.rowlock.stress;

import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.CommitCheck;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore.Downgrade;
import io.rowlock.store.UncertainOutcomeException;
import java.util.List;

/**
 * One thread of a node that takes leases and does with them what holders do: works in guarded transactions, holds them
 * for long, forgets them, or releases them too late. Its pauses are those of a slow process and a slow network.
 */
final class StoreActor {
    private final StoreNode node;
    private final Keys keys;
    private final Ledger ledger;
    private final CommitCheck fence;
    private final Oracle oracle;
    private final Dice dice;
    private int number;

    StoreActor(StoreNode node, Keys keys, Ledger ledger, CommitCheck fence, Oracle oracle, Dice dice) {
        this.node = node;
        this.keys = keys;
        this.ledger = ledger;
        this.fence = fence;
        this.oracle = oracle;
        this.dice = dice;
    }

    void once() {
        LockMode mode = anyMode();
        String owner = node.name + "/" + Thread.currentThread().getId() + "/" + number++;
        LeaseRequest request = new LeaseRequest(
                keys.any(dice),
                mode,
                owner,
                StoreNode.TTL,
                dice.nonce(),
                StoreNode.TIME_LIMIT,
                mode == LockMode.PERMIT ? dice.between(1, 4) : 0);
        try {
            attempt(request);
        } catch (RuntimeException e) {
            failed(e);
        }
    }

    private LockMode anyMode() {
        LockMode mode = dice.of(List.of(LockMode.EXCLUSIVE, LockMode.EXCLUSIVE, LockMode.SHARED, LockMode.PERMIT));
        return node.store.capabilities().modes().contains(mode) ? mode : LockMode.EXCLUSIVE;
    }

    private void failed(RuntimeException thrown) {
        oracle.count("lock call failed: " + Errors.name(thrown));
        if (Errors.isDeadlock(thrown)) {
            oracle.violation("deadlock surfaced", thrown.getMessage());
        }
    }

    private void attempt(LeaseRequest request) {
        long sent = System.nanoTime();
        Attempt attempt = tryAcquire(request);
        if (dice.percent(4)) {
            dice.pause(30, 220);
        }
        if (attempt instanceof Attempt.Granted granted) {
            use(new StoreHold(granted.lease(), request, sent));
        } else if (attempt instanceof Attempt.Draining draining) {
            drain(new StoreHold(draining.lease(), request, sent));
        } else {
            dice.pause(1, 8);
        }
    }

    /** Only an attempt that brought no lease is abandoned: a lease that was granted belongs to its hold. */
    private Attempt tryAcquire(LeaseRequest request) {
        try {
            return node.store.tryAcquire(request);
        } catch (UncertainOutcomeException e) {
            if (dice.percent(50)) {
                abandon(request);
            }
            throw e;
        }
    }

    private void abandon(LeaseRequest request) {
        try {
            node.store.abandon(request);
        } catch (RuntimeException e) {
            oracle.count("abandoning failed: " + Errors.name(e));
        }
    }

    private void drain(StoreHold hold) {
        boolean patient = dice.percent(70);
        if (patient) {
            node.startRenewing(hold);
        }
        boolean drained = false;
        try {
            while (!drained && hold.isHeld()) {
                drained = node.store.drained(hold.lease()).complete();
                dice.pause(0, 3);
            }
        } catch (RuntimeException e) {
            node.stopRenewing(hold);
            release(hold); // as the client does: it never claimed the key, and a reader may still be inside
            throw e;
        }
        node.stopRenewing(hold);
        if (drained) {
            use(hold);
        } else {
            release(hold);
        }
    }

    private void use(StoreHold hold) {
        if (!hold.claim(oracle)) {
            release(hold);
            return;
        }
        int choice = dice.between(1, 100);
        if (choice <= 4) {
            oracle.count("leases never released");
        } else if (choice <= 9) {
            Dice.sleep(Math.max(0, hold.nanosLeft()) + dice.between(0, 60) * 1_000_000L);
            oracle.count("leases released late");
            release(hold);
        } else if (choice <= 24) {
            holdLong(hold);
        } else if (choice <= 30 && canDowngrade(hold)) {
            downgrade(hold);
        } else {
            transact(hold);
        }
    }

    private boolean canDowngrade(StoreHold hold) {
        return hold.lease().mode() == LockMode.EXCLUSIVE
                && node.store.capabilities().modes().contains(LockMode.SHARED);
    }

    private void holdLong(StoreHold hold) {
        node.startRenewing(hold);
        dice.pause(10, 400);
        node.stopRenewing(hold);
        release(hold);
    }

    private void downgrade(StoreHold hold) {
        LeaseRequest shared = new LeaseRequest(
                hold.lease().key(),
                LockMode.SHARED,
                hold.lease().owner(),
                StoreNode.TTL,
                dice.nonce(),
                StoreNode.TIME_LIMIT,
                0);
        dice.pause(0, 40);
        hold.leave();
        long sent = System.nanoTime();
        if (node.store.downgrade(hold.lease(), hold.lease().fence(), shared) instanceof Downgrade.Shared now) {
            oracle.count("downgrades");
            StoreHold reader = new StoreHold(now.lease(), shared, sent);
            if (reader.claim(oracle)) {
                transact(reader);
            } else {
                release(reader);
            }
        }
    }

    private void transact(StoreHold hold) {
        boolean renewing = dice.percent(60);
        if (renewing) {
            node.startRenewing(hold);
        }
        try {
            if (hold.lease().mode() == LockMode.EXCLUSIVE) {
                ledger.change(hold.lease().key(), () -> {}, this::pause, () -> check(hold));
            } else {
                ledger.look(hold.lease().key(), () -> {}, this::pause, () -> check(hold));
            }
        } finally {
            node.stopRenewing(hold);
        }
        if (dice.percent(90)) {
            release(hold);
        }
    }

    /** Mostly short, now and then beyond every ttl. */
    private void pause() {
        if (dice.percent(10)) {
            dice.pause(60, 300);
        } else {
            dice.pause(0, 4);
        }
    }

    /** What a client does before a commit, and then the pause between the check and the commit. */
    private void check(StoreHold hold) {
        node.stopRenewing(hold);
        requireHeld(hold);
        if (!fence.isHeld(hold.lease())) {
            throw lost(hold);
        }
        requireHeld(hold);
        pause();
    }

    private static void requireHeld(StoreHold hold) {
        if (!hold.isHeld()) {
            throw lost(hold);
        }
    }

    private static LockLostException lost(StoreHold hold) {
        return new LockLostException(hold.lease().key(), hold.lease().fence(), "the check found it lost");
    }

    private void release(StoreHold hold) {
        hold.leave();
        oracle.count(node.store.release(hold.lease()) ? "releases" : "releases of what was lost");
    }
}
