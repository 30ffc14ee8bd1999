package io.rowlock.client;

import io.rowlock.LockEvent;
import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.Printable;
import io.rowlock.client.lease.ManagedLease;
import io.rowlock.client.request.ResolvedRequest;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** One grant of one key: what a program closes. */
final class KeyHandle implements DetachableLock {
    private final ThreadLock hold;
    private final ResolvedRequest terms;
    private final AtomicBoolean closed = new AtomicBoolean();

    KeyHandle(ThreadLock hold, ResolvedRequest terms) {
        this.hold = hold;
        this.terms = terms;
    }

    /** All that was asked for is taken, so the program gets it: only now does it outlast its closing. */
    void handOut() {
        if (!terms.holdAtLeast().isZero()) {
            lease().keepFor(terms.holdAtLeast());
        }
        TransactionBoundLocks.keep(hold);
    }

    /** Interrupts {@code body}, unless it has ended, if the lock is lost. */
    void interruptOnLost(LossInterrupts.Body body) {
        hold.interruptOnLost(body);
    }

    /** Something else that was asked for could not be taken. */
    void takeBack() {
        if (closed.compareAndSet(false, true)) {
            hold.leave(mode());
        }
    }

    @Override
    public String key() {
        return terms.name();
    }

    @Override
    public LockMode mode() {
        return terms.mode();
    }

    @Override
    public long fencingToken() {
        return hold.token();
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
        return hold.isLost();
    }

    @Override
    public void ensureHeld(Duration atLeast) {
        requireOpen();
        lease().requireNotLost();
        Duration remaining = remaining();
        if (remaining.compareTo(atLeast) < 0) {
            throw lease().lostException(
                            fencingToken(),
                            "it is held for %s at most, which is less than the %s needed"
                                    .formatted(remaining, atLeast));
        }
    }

    @Override
    public void extend(Duration newTtl) {
        requireOpen();
        ResolvedRequest.checkTtl(terms.store(), newTtl);
        hold.extend(newTtl);
    }

    private void requireOpen() {
        if (closed.get()) {
            throw new LockLostException(key(), fencingToken(), "it was closed");
        }
    }

    @Override
    public void onLost(Consumer<LockEvent> action) {
        hold.onLost(action);
    }

    private ManagedLease lease() {
        return hold.lease();
    }

    /** An open transaction goes on with it: what the thread has done in that is right only as long as the lock is held. */
    @Override
    public void detach() {
        TransactionBoundLocks.keep(hold);
        hold.detach();
        hold.rely().close();
    }

    ThreadLock hold() {
        return hold;
    }

    @Override
    public CommitGuard rely() {
        return hold.rely();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            TransactionBoundLocks.keep(hold);
            hold.leave(mode());
        }
    }

    @Override
    public String toString() {
        return "HeldLock[%s %s, token %d]".formatted(Printable.of(key()), mode(), fencingToken());
    }
}
