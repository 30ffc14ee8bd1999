package io.rowlock.client.lock;

import io.rowlock.HeldLock;
import io.rowlock.LockEvent;
import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.LockRequest;
import io.rowlock.Printable;
import io.rowlock.client.lock.DetachableLock.CommitGuard;
import io.rowlock.client.observe.Observers;
import io.rowlock.client.request.ResolvedRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/**
 * The grants of one request, a key each, as one lock that a program closes. Nested grants of a thread share their {@link ThreadLock}. If the
 * request asks for it, a loss interrupts the thread that acquired the lock, until it is closed or detached from that thread.
 *
 * <p>Thread-safe. All its state is that of its grants.
 *
 * @param ownsTransaction true if the body runs in a transaction of its own, or in none, so that one that is open around it does not keep the lock
 */
record LockHandle(List<ThreadLock.Grant> grants, boolean ownsTransaction, LossInterrupts.@Nullable Body body)
        implements DetachableLock {
    LockHandle {
        grants = List.copyOf(grants);
    }

    /** Notes that all keys of the request are acquired: only now are the leases kept for their minimum, and does a loss interrupt the body. */
    LockHandle begun() {
        for (ThreadLock.Grant grant : grants) {
            Duration minimum = grant.request.asked().holdAtLeast();
            if (!minimum.isZero()) {
                grant.lock().lease().keepFor(minimum);
            }
        }
        if (body != null) {
            grants.forEach(grant -> grant.onLost(body::lostUnlessFoundOut, body::lost));
        }
        return this;
    }

    /** Lets the open transaction keep the lock, unless the body runs in another one. */
    private void keep(ThreadLock.Grant grant) {
        if (!ownsTransaction) {
            grant.lock().process.transactions.keep(grant.lock());
        }
    }

    @Override
    public String key() {
        return grants.stream().map(grant -> grant.request.name()).collect(Collectors.joining(", "));
    }

    @Override
    public LockMode mode() {
        return grants.get(0).request.mode();
    }

    @Override
    public long fencingToken() {
        return grants.stream().mapToLong(grant -> grant.lock().token()).max().orElseThrow();
    }

    @Override
    public Duration remaining() {
        return grants.stream()
                .map(LockHandle::remaining)
                .min(Comparator.naturalOrder())
                .orElseThrow();
    }

    private static Duration remaining(ThreadLock.Grant grant) {
        return grant.isClosed() ? Duration.ZERO : grant.lock().lease().remaining();
    }

    @Override
    public boolean isHeld() {
        return grants.stream()
                .allMatch(grant -> !grant.isClosed() && grant.lock().lease().isHeld());
    }

    @Override
    public boolean isLost() {
        return grants.stream().anyMatch(grant -> grant.lock().isLost());
    }

    @Override
    public void ensureHeld(Duration atLeast) {
        for (ThreadLock.Grant grant : grants) {
            requireOpen(grant);
            HeldLease lease = grant.lock().lease();
            lease.requireHeld();
            if (lease.isPromise() && lease.remaining().compareTo(atLeast) < 0) {
                grant.lock().extend(lease.ttl());
            }
            Duration remaining = remaining(grant);
            if (remaining.compareTo(atLeast) < 0) {
                throw lost(
                        grant,
                        "it is held for %s at most, which is less than the %s needed"
                                .formatted(Printable.of(remaining), Printable.of(atLeast)));
            }
        }
    }

    @Override
    public void extend(Duration ttl) {
        for (ThreadLock.Grant grant : grants) {
            requireOpen(grant);
            ResolvedRequest.checkTtl(grant.request.store(), ttl);
            grant.lock().extend(ttl);
        }
    }

    @Override
    public void extend() {
        for (ThreadLock.Grant grant : grants) {
            requireOpen(grant);
            grant.lock().extend(grant.lock().lease().ttl());
        }
    }

    @Override
    public void holdAtLeast(Duration minimum) {
        LockRequest unused = grants.get(0).request.asked().withHoldAtLeast(minimum); // checks its limits
        for (ThreadLock.Grant grant : grants) {
            requireOpen(grant);
            HeldLease lease = grant.lock().lease();
            lease.requireHeld();
            lease.keepFor(minimum);
        }
    }

    private static void requireOpen(ThreadLock.Grant grant) {
        if (grant.isClosed()) {
            throw lost(grant, "it was closed");
        }
    }

    private static LockLostException lost(ThreadLock.Grant grant, String because) {
        return new LockLostException(grant.request.name(), grant.lock().token(), because);
    }

    @Override
    public void onLost(Consumer<LockEvent> action) {
        Objects.requireNonNull(action, "action");
        AtomicBoolean called = new AtomicBoolean();
        Observers observers = grants.get(0).lock().process.observers;
        Consumer<LockEvent> once = event -> {
            if (called.compareAndSet(false, true)) {
                observers.callLater(event, action);
            }
        };
        grants.forEach(grant -> grant.onLost(once, once));
    }

    @Override
    public List<HeldLock> parts() {
        return grants.size() == 1
                ? List.of(this)
                : grants.stream()
                        .<HeldLock>map(grant -> new LockHandle(List.of(grant), ownsTransaction, null))
                        .toList();
    }

    /** An open transaction keeps the lock: what the thread has done in it is right only as long as the lock is held. */
    @Override
    public void detach() {
        endInterrupts();
        for (ThreadLock.Grant grant : grants) {
            keep(grant);
            grant.detach();
            if (!ownsTransaction) {
                new CommitGuard(List.of(grant.lock())).close();
            }
        }
    }

    @Override
    public void leaveToTtl() {
        for (ThreadLock.Grant grant : grants) {
            grant.givenUp = true;
            grant.lock().settle();
        }
    }

    @Override
    public CommitGuard rely() {
        List<ThreadLock> locks = grants.stream().map(ThreadLock.Grant::lock).toList();
        locks.get(0).process.transactions.relied(locks);
        return new CommitGuard(locks);
    }

    /** Notes that no other thread than the calling one can close it. */
    void endsWithItsThread() {
        grants.forEach(grant -> grant.endsWithItsThread = true);
    }

    /** No interrupt comes after this, and none disturbs a statement that follows. */
    private void endInterrupts() {
        if (body != null) {
            body.end();
        }
    }

    @Override
    public void close() {
        endInterrupts();
        giveUp(grants);
        for (ThreadLock.Grant grant : grants) {
            if (!grant.isClosed()) {
                keep(grant);
            }
        }
        Background background = grants.get(0).lock().process.background;
        rethrow(background.each(lastFirst(grants), null, ThreadLock.Grant::close, LockHandle::leave), null);
    }

    /** Ends the renewal of all, also if an error, as of a full stack, keeps some from being closed. */
    static void giveUp(List<ThreadLock.Grant> grants) {
        grants.forEach(grant -> grant.givenUp = true);
    }

    /** Lets the background close a grant. If it began its lock, that is not in the way of its thread until then. */
    private static void leave(ThreadLock.Grant grant) {
        if (grant == grant.lock().first) {
            grant.detach();
        }
    }

    /**
     * Closes grants that are given up, the last first.
     *
     * @param why what they are closed for, which a failure is added to, or null; an error is thrown instead of it
     */
    static void close(Background background, List<ThreadLock.Grant> grants, @Nullable Throwable why) {
        rethrow(background.each(lastFirst(grants), why, ThreadLock.Grant::close, LockHandle::leave), why);
    }

    private static List<ThreadLock.Grant> lastFirst(List<ThreadLock.Grant> grants) {
        List<ThreadLock.Grant> lastFirst = new ArrayList<>(grants);
        Collections.reverse(lastFirst);
        return lastFirst;
    }

    private static void rethrow(@Nullable Throwable failure, @Nullable Throwable why) {
        if (failure != null && failure != why) {
            ReflectionUtils.rethrowRuntimeException(failure);
        }
    }

    @Override
    public String toString() {
        return grants.size() == 1
                ? "HeldLock[%s %s, token %d]".formatted(Printable.of(key()), mode(), fencingToken())
                : "HeldLock" + parts();
    }
}
