package io.rowlock.stress;

import io.rowlock.DistributedLockException;
import io.rowlock.HeldLock;
import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.LockRequest;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One thread of an application: it uses locks as programs do, and believes what {@link HeldLock} says. */
final class RedisActor {
    private final RedisNode node;
    private final List<LockMode> modes;
    private final Keys keys;
    private final Oracle oracle;
    private final Dice dice;
    private final Deque<HeldLock> taken = new ArrayDeque<>();

    /** @param modes which to ask for; one that is there several times is asked for more often */
    RedisActor(RedisNode node, List<LockMode> modes, Keys keys, Oracle oracle, Dice dice) {
        this.node = node;
        this.modes = modes;
        this.keys = keys;
        this.oracle = oracle;
        this.dice = dice;
    }

    void once() {
        String key = keys.any(dice);
        int choice = dice.between(1, 100);
        try {
            if (choice <= 5) {
                hold(request(key), dice.between(0, 1_500));
            } else if (choice <= 9) {
                forget(request(key).withRenewal(false));
            } else if (choice <= 17) {
                downgrade(key);
            } else {
                hold(request(key), dice.between(0, 4));
            }
        } catch (LockLostException e) {
            oracle.count("told that a lock was lost");
        } catch (DistributedLockException e) {
            failed(e);
        } finally {
            closeAll();
        }
    }

    private void failed(DistributedLockException thrown) {
        oracle.count("lock call failed: " + thrown.getClass().getSimpleName());
    }

    private LockRequest request(String key) {
        return switch (dice.of(modes)) {
            case EXCLUSIVE -> LockRequest.exclusive(key);
            case SHARED -> dice.percent(50) ? LockRequest.shared(key) : LockRequest.exclusive(key);
            case PERMIT -> LockRequest.permit(key, dice.between(1, 2));
        };
    }

    private Optional<HeldLock> take(LockRequest request) {
        Optional<HeldLock> lock =
                node.client.tryAcquire(request.withWaitTime(Duration.ofMillis(dice.between(0, 2_000))));
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
        return oracle.enter(lock.key(), lock.mode(), request.permits(), lock.fencingToken(), node.name, deadline);
    }

    private static void leave(Oracle.@Nullable Claim claim) {
        if (claim != null) {
            claim.leave();
        }
    }

    private void hold(LockRequest request, int millis) {
        take(request).ifPresent(lock -> {
            Oracle.@Nullable Claim claim = claim(lock, request);
            long end = System.nanoTime() + millis * 1_000_000L;
            while (claim != null && end - System.nanoTime() > 0 && lock.isHeld()) {
                dice.pause(1, 60);
                long asked = System.nanoTime();
                claim.confirm(asked + lock.remaining().toNanos());
            }
            leave(claim);
        });
    }

    private void forget(LockRequest request) {
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
                LockRequest shared = LockRequest.shared(key);
                take(shared).ifPresent(reader -> {
                    leave(claim);
                    writer.close();
                    Oracle.@Nullable Claim reads = claim(reader, shared);
                    oracle.count("downgrades");
                    dice.pause(0, 40);
                    leave(reads);
                });
            } finally {
                leave(claim);
            }
        });
    }
}
