package io.rowlock.client;

import io.rowlock.HeldLock;
import io.rowlock.LockEvent;
import io.rowlock.LockMode;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** A lock whose loss interrupts the thread that took it, until it is closed or detached from that thread. */
final class InterruptingLock implements DetachableLock {
    private final DetachableLock lock;
    private final LossInterrupts.Body body;

    /** @param body the work of the calling thread, which it begins now */
    InterruptingLock(DetachableLock lock, LossInterrupts.Body body) {
        this.lock = lock;
        this.body = body;
    }

    @Override
    public String key() {
        return lock.key();
    }

    @Override
    public LockMode mode() {
        return lock.mode();
    }

    @Override
    public long fencingToken() {
        return lock.fencingToken();
    }

    @Override
    public Duration remaining() {
        return lock.remaining();
    }

    @Override
    public boolean isHeld() {
        return lock.isHeld();
    }

    @Override
    public boolean isLost() {
        return lock.isLost();
    }

    @Override
    public void ensureHeld(Duration atLeast) {
        lock.ensureHeld(atLeast);
    }

    @Override
    public void extend(Duration ttl) {
        lock.extend(ttl);
    }

    @Override
    public void onLost(Consumer<LockEvent> action) {
        lock.onLost(action);
    }

    @Override
    public List<HeldLock> parts() {
        return lock.parts();
    }

    @Override
    public CommitGuard rely() {
        return lock.rely();
    }

    @Override
    public void detach() {
        body.end();
        lock.detach();
    }

    /** The interrupt is over before the database is asked, which it would only disturb. */
    @Override
    public void close() {
        body.end();
        lock.close();
    }

    @Override
    public String toString() {
        return lock.toString();
    }
}
