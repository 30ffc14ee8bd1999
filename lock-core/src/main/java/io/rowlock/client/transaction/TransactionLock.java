package io.rowlock.client.transaction;

import io.rowlock.HeldLock;
import io.rowlock.LockEvent;
import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.Printable;
import io.rowlock.store.TransactionLocks;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** A grant of some keys to a transaction. */
record TransactionLock(List<String> keys, LockMode mode, TransactionScope scope) implements HeldLock {
    /** As long as any duration of a request may be. */
    private static final Duration UNLIMITED = Duration.ofDays(365);

    @Override
    public String key() {
        return String.join(", ", keys);
    }

    @Override
    public long fencingToken() {
        throw new UnsupportedOperationException(
                "A lock of strategy \"%s\" has no fencing token: it cannot be lost before its transaction ends"
                        .formatted(TransactionLocks.STRATEGY));
    }

    /** {@inheritDoc} A time-out of the transaction does not end it: Spring lets nothing but a rollback follow. */
    @Override
    public Duration remaining() {
        return isHeld() ? UNLIMITED : Duration.ZERO;
    }

    /** {@inheritDoc} Asks no server, and so knows nothing of a transaction that has ended there only; {@link #ensureHeld} does. */
    @Override
    public boolean isHeld() {
        return scope.has(storedKeys());
    }

    private List<String> storedKeys() {
        return keys.stream().map(scope.owner.resolver::prefixed).toList();
    }

    @Override
    public boolean isLost() {
        return false;
    }

    /** {@inheritDoc} Here it asks the server, which may have ended the transaction. */
    @Override
    public void ensureHeld(Duration atLeast) {
        if (!isHeld()) {
            throw lost(
                    scope.isOpen()
                            ? "its transaction was rolled back to before it, or its connection failed"
                            : "its transaction has completed");
        }
        if (!scope.holds(storedKeys())) {
            throw lost(
                    "the server has ended its transaction, as a deadlock, DDL and ROLLBACK do; let a deadlock end the method, and keep"
                            + " such statements out of it");
        }
    }

    private LockLostException lost(String because) {
        return new LockLostException(key(), 0, because);
    }

    @Override
    public void extend(Duration ttl) {
        throw new UnsupportedOperationException("A lock of strategy \"%s\" has no ttl: it ends with its transaction"
                .formatted(TransactionLocks.STRATEGY));
    }

    @Override
    public void extend() {
        extend(UNLIMITED);
    }

    /** {@inheritDoc} Here its transaction does that. */
    @Override
    public void holdAtLeast(Duration minimum) {
        throw new UnsupportedOperationException("A lock of strategy \"%s\" has no minimum: it ends with its transaction"
                .formatted(TransactionLocks.STRATEGY));
    }

    /** {@inheritDoc} It never is. */
    @Override
    public void onLost(Consumer<LockEvent> action) {}

    @Override
    public List<HeldLock> parts() {
        return keys.size() == 1
                ? List.of(this)
                : keys.stream()
                        .map(key -> (HeldLock) new TransactionLock(List.of(key), mode, scope))
                        .toList();
    }

    /** {@inheritDoc} Here the transaction does that, when it ends. */
    @Override
    public void close() {}

    @Override
    public String toString() {
        return "HeldLock[%s %s, to the end of its transaction]".formatted(Printable.of(key()), mode());
    }
}
