package io.rowlock.client;

import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.OnLost;
import io.rowlock.client.lock.Background;
import io.rowlock.client.lock.InFlightThreads;
import io.rowlock.client.lock.LockAcquirer;
import io.rowlock.client.request.Deadline;
import io.rowlock.client.request.RequestAcquirer;
import io.rowlock.client.request.RequestResolver;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.client.request.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Takes locks that are leases of a store, the keys of a request one after another. Thread-safe. */
final class LeaseAcquirer implements RequestAcquirer {
    private final RequestResolver resolver;
    private final LockAcquirer keys;
    private final InFlightThreads inFlight;
    private final Background background;
    private final LossInterrupts interrupts;
    private final Ticker ticker;
    private final BooleanSupplier closed;
    private final BooleanSupplier guardedOnly;

    /**
     * @param closed whether the client is closed for good, not only drained
     * @param guardedOnly whether a transaction that no {@link TransactionFence} checks is refused
     */
    LeaseAcquirer(
            RequestResolver resolver,
            LockAcquirer keys,
            InFlightThreads inFlight,
            Background background,
            LossInterrupts interrupts,
            Ticker ticker,
            BooleanSupplier closed,
            BooleanSupplier guardedOnly) {
        this.resolver = resolver;
        this.keys = keys;
        this.inFlight = inFlight;
        this.background = background;
        this.interrupts = interrupts;
        this.ticker = ticker;
        this.closed = closed;
        this.guardedOnly = guardedOnly;
    }

    @Override
    public void validate(LockRequest request) {
        resolver.resolve(request);
    }

    @Override
    public HeldLock acquire(LockRequest request, Duration patience) {
        return acquire(request, patience, false);
    }

    /**
     * Acquires the lock of a body that runs in a transaction of its own, or in none: a transaction that is open now neither keeps the
     * lock nor relies on it.
     */
    HeldLock acquireForOwnTransaction(LockRequest request, Duration patience) {
        return acquire(request, patience, true);
    }

    private HeldLock acquire(LockRequest request, Duration patience, boolean ownTransaction) {
        List<ResolvedRequest> resolved = resolver.resolve(request);
        requireOpenFor(resolved);
        if (!ownTransaction) {
            CommitChecks.requireGuarded(keys.threadLocks(), guardedOnly.getAsBoolean());
        }
        Deadline deadline = Deadline.after(patience, ticker);
        List<KeyHandle> handles = new ArrayList<>(resolved.size());
        try {
            for (ResolvedRequest key : resolved) {
                handles.add(new KeyHandle(keys.acquire(key, deadline)));
            }
        } catch (LockStoreException e) {
            background.later(() -> revoke(handles, e));
            throw e;
        } catch (RuntimeException | Error e) {
            revoke(handles, e);
            throw e;
        }
        return handedOut(request, handles, ownTransaction);
    }

    /** While the client drains, a thread may still enter a lock it holds. */
    private void requireOpenFor(List<ResolvedRequest> resolved) {
        if (!inFlight.isOpen() && (closed.getAsBoolean() || !resolved.stream().allMatch(this::isHeldByCaller))) {
            inFlight.requireOpen();
        }
    }

    private boolean isHeldByCaller(ResolvedRequest key) {
        return keys.isHeldByCaller(key.id());
    }

    private HeldLock handedOut(LockRequest request, List<KeyHandle> handles, boolean ownTransaction) {
        try {
            if (!ownTransaction) {
                CommitChecks.granted(handles.stream().map(KeyHandle::threadLock).toList());
            }
            handles.forEach(handle -> handle.handOut(ownTransaction));
            if (request.onLost() == OnLost.INTERRUPT) {
                LossInterrupts.Body body = interrupts.begin();
                handles.forEach(handle -> handle.interruptOnLost(body));
                return new LockHandle(handles, body);
            }
            return handles.size() == 1 ? handles.get(0) : new LockHandle(handles, null);
        } catch (RuntimeException | Error e) {
            revoke(handles, e);
            throw e;
        }
    }

    private static void revoke(List<KeyHandle> handles, Throwable thrown) {
        for (int i = handles.size() - 1; i >= 0; i--) {
            try {
                handles.get(i).revoke();
            } catch (RuntimeException e) {
                thrown.addSuppressed(e);
            }
        }
    }

    @Override
    public Optional<HeldLock> tryAcquireAny(List<LockRequest> requests) {
        requests.forEach(this::validate);
        return requests.stream()
                .filter(request -> resolver.resolve(request).stream().noneMatch(this::isHeldByCaller))
                .map(request -> tryAcquire(request, Duration.ZERO))
                .flatMap(Optional::stream)
                .findFirst();
    }
}
