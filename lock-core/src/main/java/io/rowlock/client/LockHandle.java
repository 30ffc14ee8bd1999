package io.rowlock.client;

import io.rowlock.HeldLock;
import io.rowlock.LockEvent;
import io.rowlock.LockMode;
import io.rowlock.client.lock.ThreadLock;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The handles of one request, as one lock. If the request asks for it, a loss interrupts the thread that took the lock, until
 * it is closed or detached from that thread.
 */
final class LockHandle implements DetachableLock {
    private final List<KeyHandle> handles;
    private final LossInterrupts.@Nullable Body body;

    /** @param body the work of the calling thread, which it begins now, or null if a loss does not interrupt it */
    LockHandle(List<KeyHandle> handles, LossInterrupts.@Nullable Body body) {
        this.handles = List.copyOf(handles);
        this.body = body;
    }

    @Override
    public String key() {
        return handles.stream().map(HeldLock::key).collect(Collectors.joining(", "));
    }

    @Override
    public LockMode mode() {
        return handles.get(0).mode();
    }

    @Override
    public long fencingToken() {
        return handles.stream().mapToLong(HeldLock::fencingToken).max().orElseThrow();
    }

    @Override
    public Duration remaining() {
        return handles.stream()
                .map(HeldLock::remaining)
                .min(Comparator.naturalOrder())
                .orElseThrow();
    }

    @Override
    public boolean isHeld() {
        return handles.stream().allMatch(HeldLock::isHeld);
    }

    @Override
    public boolean isLost() {
        return handles.stream().anyMatch(HeldLock::isLost);
    }

    @Override
    public void ensureHeld(Duration atLeast) {
        handles.forEach(handle -> handle.ensureHeld(atLeast));
    }

    @Override
    public void extend(Duration ttl) {
        handles.forEach(handle -> handle.extend(ttl));
    }

    @Override
    public void onLost(Consumer<LockEvent> action) {
        AtomicBoolean called = new AtomicBoolean();
        Consumer<LockEvent> once = event -> {
            if (called.compareAndSet(false, true)) {
                action.accept(event);
            }
        };
        handles.forEach(handle -> handle.onLost(once));
    }

    @Override
    public List<HeldLock> parts() {
        return List.copyOf(handles);
    }

    @Override
    public void detach() {
        endInterrupts();
        handles.forEach(DetachableLock::detach);
    }

    @Override
    public void leaveToTtl() {
        handles.forEach(DetachableLock::leaveToTtl);
    }

    @Override
    public CommitGuard rely() {
        List<ThreadLock> locks = handles.stream().map(KeyHandle::threadLock).toList();
        CommitChecks.relied(locks);
        return CommitGuard.rely(locks);
    }

    /** No interrupt comes after this, and none disturbs a statement that follows. */
    void endInterrupts() {
        if (body != null) {
            body.end();
        }
    }

    @Override
    public void close() {
        endInterrupts();
        RuntimeException failure = null;
        for (int i = handles.size() - 1; i >= 0; i--) {
            try {
                handles.get(i).close();
            } catch (RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public String toString() {
        return handles.size() == 1 ? handles.get(0).toString() : "HeldLock" + handles;
    }
}
