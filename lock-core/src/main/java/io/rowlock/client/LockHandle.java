package io.rowlock.client;

import io.rowlock.HeldLock;
import io.rowlock.LockEvent;
import io.rowlock.LockMode;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** The grants of one request for several keys, as one lock. */
final class LockHandle implements DetachableLock {
    private final List<KeyHandle> grants;

    LockHandle(List<KeyHandle> grants) {
        this.grants = List.copyOf(grants);
    }

    @Override
    public String key() {
        return grants.stream().map(HeldLock::key).collect(Collectors.joining(", "));
    }

    @Override
    public LockMode mode() {
        return grants.get(0).mode();
    }

    @Override
    public long fencingToken() {
        return grants.stream().mapToLong(HeldLock::fencingToken).max().orElseThrow();
    }

    @Override
    public Duration remaining() {
        return grants.stream()
                .map(HeldLock::remaining)
                .min(Comparator.naturalOrder())
                .orElseThrow();
    }

    @Override
    public boolean isHeld() {
        return grants.stream().allMatch(HeldLock::isHeld);
    }

    @Override
    public boolean isLost() {
        return grants.stream().anyMatch(HeldLock::isLost);
    }

    @Override
    public void ensureHeld(Duration atLeast) {
        grants.forEach(grant -> grant.ensureHeld(atLeast));
    }

    @Override
    public void extend(Duration ttl) {
        grants.forEach(grant -> grant.extend(ttl));
    }

    @Override
    public void onLost(Consumer<LockEvent> action) {
        AtomicBoolean told = new AtomicBoolean();
        Consumer<LockEvent> once = event -> {
            if (told.compareAndSet(false, true)) {
                action.accept(event);
            }
        };
        grants.forEach(grant -> grant.onLost(once));
    }

    @Override
    public List<HeldLock> parts() {
        return List.copyOf(grants);
    }

    @Override
    public void detach() {
        grants.forEach(DetachableLock::detach);
    }

    @Override
    public CommitGuard rely() {
        List<CommitGuard> all = grants.stream().map(KeyHandle::rely).toList();
        return () -> all.forEach(CommitGuard::close);
    }

    @Override
    public void close() {
        RuntimeException failure = null;
        for (int i = grants.size() - 1; i >= 0; i--) {
            try {
                grants.get(i).close();
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
        return "HeldLock" + grants;
    }
}
