package io.rowlock.stress;

import io.rowlock.DistributedLockException;
import io.rowlock.HeldLock;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.client.RowlockClient;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import org.jspecify.annotations.Nullable;

/** One thread of an application: it uses locks as programs do, and believes what {@link HeldLock} says. */
final class ClientActor {
    private final String node;
    private final RowlockClient client;
    private final Keys keys;
    private final Ledger ledger;
    private final Oracle oracle;
    private final Dice dice;
    private final Deque<HeldLock> taken = new ArrayDeque<>();

    ClientActor(String node, RowlockClient client, Keys keys, Ledger ledger, Oracle oracle, Dice dice) {
        this.node = node;
        this.client = client;
        this.keys = keys;
        this.ledger = ledger;
        this.oracle = oracle;
        this.dice = dice;
    }

    void once() {
        String key = keys.any(dice);
        int choice = dice.between(1, 100);
        try {
            if (choice <= 20) {
                holdLong(key);
            } else if (choice <= 30) {
                forget(key);
            } else if (choice <= 40) {
                downgrade(key);
            } else if (choice <= 50) {
                viewInTransaction(key);
            } else if (choice <= 60) {
                takeInsideTransaction(key);
            } else {
                transact(key);
            }
        } catch (LockLostException e) {
            oracle.count("told that a lock was lost");
        } catch (DistributedLockException e) {
            failed(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            closeAll();
        }
    }

    private void failed(DistributedLockException thrown) {
        oracle.count("lock call failed: " + Errors.name(thrown));
        if (Errors.isDeadlock(thrown)) {
            oracle.violation("deadlock surfaced", thrown.getMessage());
        }
    }

    private Optional<HeldLock> take(LockRequest request) {
        Optional<HeldLock> lock = client.tryAcquire(request.withWaitTime(Duration.ofMillis(dice.between(0, 300))));
        lock.ifPresent(taken::push);
        return lock;
    }

    private void closeAll() {
        while (!taken.isEmpty()) {
            try {
                taken.pop().close();
            } catch (DistributedLockException e) {
                failed(e);
            }
        }
    }

    /** A claim is as good as what the lock said when it was asked. */
    private Oracle.@Nullable Claim claim(HeldLock lock, LockRequest request) {
        long asked = System.nanoTime();
        long deadline = asked + lock.remaining().toNanos();
        return oracle.enter(lock.key(), lock.mode(), request.permits(), lock.fencingToken(), node, deadline);
    }

    private LockRequest any(String key) {
        return dice.percent(50) ? LockRequest.exclusive(key) : anyReader(key);
    }

    /** One that excludes writers, but not all others. */
    private LockRequest anyReader(String key) {
        return dice.percent(50) ? LockRequest.shared(key) : LockRequest.permit(key, dice.between(1, 4));
    }

    private void holdLong(String key) {
        LockRequest request = any(key);
        take(request).ifPresent(lock -> {
            Oracle.@Nullable Claim claim = claim(lock, request);
            long end = System.nanoTime() + dice.between(0, 700) * 1_000_000L;
            while (claim != null && end - System.nanoTime() > 0 && lock.isHeld()) {
                dice.pause(1, 60);
                long asked = System.nanoTime();
                claim.confirm(asked + lock.remaining().toNanos());
            }
            leave(claim);
        });
    }

    private static void leave(Oracle.@Nullable Claim claim) {
        if (claim != null) {
            claim.leave();
        }
    }

    private void forget(String key) {
        LockRequest request = any(key).withRenewal(false);
        take(request).ifPresent(lock -> {
            claim(lock, request);
            Dice.sleep(lock.remaining().toNanos() + dice.between(0, 200) * 1_000_000L);
            oracle.count("leases released late");
        });
    }

    private void downgrade(String key) {
        LockRequest request = LockRequest.exclusive(key);
        take(request).ifPresent(writer -> {
            Oracle.@Nullable Claim claim = claim(writer, request);
            try {
                dice.pause(0, 40);
                take(LockRequest.shared(key)).ifPresent(reader -> {
                    leave(claim);
                    writer.close();
                    oracle.count("downgrades");
                    ledger.look(key, () -> {}, this::pause, this::pause);
                });
            } finally {
                leave(claim);
            }
        });
    }

    private void viewInTransaction(String key) throws InterruptedException {
        ReadWriteLock lock = client.readWriteLock(key);
        boolean writes = dice.percent(50);
        var view = writes ? lock.writeLock() : lock.readLock();
        if (view.tryLock(dice.between(0, 300), TimeUnit.MILLISECONDS)) {
            try {
                work(key, writes, () -> {});
            } finally {
                view.unlock();
            }
        }
    }

    private void takeInsideTransaction(String key) {
        boolean writes = dice.percent(50);
        LockRequest request = writes ? LockRequest.exclusive(key) : anyReader(key);
        work(
                key,
                writes,
                () -> client.acquire(request.withWaitTime(Duration.ofMillis(200)))
                        .close());
    }

    private void transact(String key) {
        boolean writes = dice.percent(50);
        LockRequest request = writes ? LockRequest.exclusive(key) : anyReader(key);
        take(request).ifPresent(lock -> {
            Oracle.@Nullable Claim claim = claim(lock, request);
            try {
                if (dice.percent(20)) {
                    take(request); // a further permit, which may fail: the first one is closed then, too
                }
                work(key, writes, () -> {});
            } finally {
                leave(claim);
            }
        });
    }

    private void work(String key, boolean writes, Runnable start) {
        if (writes) {
            ledger.change(key, start, this::pause, this::pause);
        } else {
            ledger.look(key, start, this::pause, this::pause);
        }
    }

    private void pause() {
        if (dice.percent(10)) {
            dice.pause(60, 500);
        } else {
            dice.pause(0, 4);
        }
    }
}
