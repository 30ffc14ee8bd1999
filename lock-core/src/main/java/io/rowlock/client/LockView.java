package io.rowlock.client;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockInterruptedException;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.Printable;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** One lock of a client as {@link Lock}. All state is the client's, so every view of a key is the same lock. */
final class LockView implements Lock {
    /** Without end, for all that matters: ten years. */
    private static final Duration ENDLESS = Duration.ofDays(3650);

    private final LockClient client;
    private final LockRequest request;
    private final ViewGrants grants;

    LockView(LockClient client, LockRequest request, ViewGrants grants) {
        this.client = client;
        this.request = request;
        this.grants = grants;
    }

    @Override
    public void lock() {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    grants.push(request, client.acquire(request.withWaitTime(ENDLESS)));
                    return;
                } catch (LockInterruptedException e) {
                    interrupted |= Thread.interrupted();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        try {
            grants.push(request, client.acquire(request.withWaitTime(ENDLESS)));
        } catch (LockInterruptedException e) {
            throw interruption(e);
        }
    }

    @Override
    public boolean tryLock() {
        return tried(request);
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        long nanos = Math.min(ENDLESS.toNanos(), Math.max(0, unit.toNanos(time)));
        try {
            return tried(request.withWaitTime(Duration.ofNanos(nanos)));
        } catch (LockInterruptedException e) {
            throw interruption(e);
        }
    }

    /** A thread that reads could wait for itself as long as it likes, so it gets the answer at once. */
    private boolean tried(LockRequest attempt) {
        Optional<HeldLock> grant;
        try {
            grant = client.tryAcquire(attempt);
        } catch (UpgradeRefusedException e) {
            return false;
        }
        grant.ifPresent(lock -> grants.push(request, lock));
        return grant.isPresent();
    }

    private static InterruptedException interruption(LockInterruptedException e) {
        Thread.interrupted();
        InterruptedException interruption = new InterruptedException(e.getMessage());
        interruption.initCause(e);
        return interruption;
    }

    @Override
    public void unlock() {
        @Nullable HeldLock grant = grants.pop(request);
        if (grant == null) {
            throw new IllegalMonitorStateException("The thread %s does not hold the %s"
                    .formatted(Thread.currentThread().getName(), this));
        }
        grant.close();
        if (grant.isLost()) {
            throw new LockLostException(grant.key(), grant.fencingToken(), "it was lost before it was unlocked");
        }
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("A distributed lock has no conditions");
    }

    @Override
    public String toString() {
        return "%s lock of \"%s\""
                .formatted(
                        request.mode().name().toLowerCase(Locale.ROOT),
                        Printable.of(request.keys().get(0)));
    }
}
