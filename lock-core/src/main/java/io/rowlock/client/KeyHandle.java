package io.rowlock.client;

import io.rowlock.LockEvent;
import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.Printable;
import io.rowlock.client.lock.HeldLease;
import io.rowlock.client.lock.ThreadLock;
import io.rowlock.client.request.ResolvedRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** One grant of one key: what a program closes. Nested grants of a thread share its {@link ThreadLock}. */
final class KeyHandle implements DetachableLock {
    private final ThreadLock lock;
    private final ThreadLock.Grant grant;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Whether the body runs in a transaction of its own, or in none. Written before the handle is handed out. */
    private boolean ownsTransaction;

    KeyHandle(ThreadLock.Grant grant) {
        this.lock = grant.lock();
        this.grant = grant;
    }

    /** All keys of the request are taken, so the program gets the handle: only now is the lease kept for its minimum. */
    void handOut(boolean ownTransaction) {
        ownsTransaction = ownTransaction;
        if (!grant.request().holdAtLeast().isZero()) {
            lease().keepFor(grant.request().holdAtLeast());
        }
        keep();
    }

    /** Has the open transaction keep the lock, unless the body runs in another one. */
    private void keep() {
        if (!ownsTransaction) {
            CommitChecks.keep(lock);
        }
    }

    /** Interrupts {@code body}, unless it has ended, if the lock is lost. */
    void interruptOnLost(LossInterrupts.Body body) {
        lock.onLostFirst(body::lostUnlessFoundOut, body::lost);
    }

    /** Another key of the request could not be taken. */
    void revoke() {
        grant.giveUp();
        if (closed.compareAndSet(false, true)) {
            grant.close();
        }
    }

    /** The thread that could close it has ended. */
    void abandon() {
        grant.giveUp();
    }

    @Override
    public String key() {
        return grant.request().name();
    }

    @Override
    public LockMode mode() {
        return grant.mode();
    }

    @Override
    public long fencingToken() {
        return lock.token();
    }

    @Override
    public Duration remaining() {
        return closed.get() ? Duration.ZERO : lease().remaining();
    }

    @Override
    public boolean isHeld() {
        return !closed.get() && lease().isHeld();
    }

    @Override
    public boolean isLost() {
        return lock.isLost();
    }

    @Override
    public void ensureHeld(Duration atLeast) {
        requireOpen();
        lease().requireNotLost();
        lease().confirmFor(atLeast);
        Duration remaining = remaining();
        if (remaining.compareTo(atLeast) < 0) {
            throw lease().lostException(
                            fencingToken(),
                            "it is held for %s at most, which is less than the %s needed"
                                    .formatted(Printable.of(remaining), Printable.of(atLeast)));
        }
    }

    @Override
    public void extend(Duration newTtl) {
        requireOpen();
        ResolvedRequest.checkTtl(grant.request().store(), newTtl);
        lock.extend(newTtl);
    }

    private void requireOpen() {
        if (closed.get()) {
            throw new LockLostException(key(), fencingToken(), "it was closed");
        }
    }

    @Override
    public void onLost(Consumer<LockEvent> action) {
        lock.onLost(action);
    }

    private HeldLease lease() {
        return lock.lease();
    }

    /** An open transaction keeps the lock: what the thread has done in it is right only as long as the lock is held. */
    @Override
    public void detach() {
        keep();
        lock.detach();
        CommitGuard.rely(List.of(lock)).close();
    }

    @Override
    public void leaveToTtl() {
        lock.onLost(event -> close());
        grant.giveUp();
    }

    ThreadLock threadLock() {
        return lock;
    }

    @Override
    public CommitGuard rely() {
        CommitChecks.relied(List.of(lock));
        return CommitGuard.rely(List.of(lock));
    }

    @Override
    public void close() {
        grant.giveUp();
        if (closed.compareAndSet(false, true)) {
            keep();
            grant.close();
        }
    }

    @Override
    public String toString() {
        return "HeldLock[%s %s, token %d]".formatted(Printable.of(key()), mode(), fencingToken());
    }
}
