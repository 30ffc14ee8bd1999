package io.rowlock.client.lock;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockInterruptedException;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.Printable;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A lock of a client as a {@link Lock}. All state is the client's, so every view of a key is the same lock. */
final class LockView implements Lock {
    /** No limit in practice: a year, which is as long as a request can wait. */
    private static final Duration ENDLESS = Duration.ofDays(365);

    private final LockClient client;
    private final LockRequest request;
    private final Handles handles;

    LockView(LockClient client, LockRequest request, Handles handles) {
        this.client = client;
        this.request = request;
        this.handles = handles;
    }

    @Override
    public void lock() {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    handles.push(request, client.acquire(request.withWaitTime(ENDLESS)));
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
            handles.push(request, client.acquire(request.withWaitTime(ENDLESS)));
        } catch (LockInterruptedException e) {
            throw interruption(e);
        }
    }

    @Override
    public boolean tryLock() {
        return tried(request.withWaitTime(Duration.ZERO));
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

    /** A reader that asks for the write lock would wait for itself, so it gets the answer at once. */
    private boolean tried(LockRequest attempt) {
        Optional<HeldLock> handle;
        try {
            handle = client.tryAcquire(attempt);
        } catch (ThreadLocks.UpgradeRefusedException e) {
            return false;
        }
        handle.ifPresent(lock -> handles.push(request, lock));
        return handle.isPresent();
    }

    private static InterruptedException interruption(LockInterruptedException e) {
        Thread.interrupted();
        InterruptedException interruption = new InterruptedException(e.getMessage());
        interruption.initCause(e);
        return interruption;
    }

    @Override
    public void unlock() {
        @Nullable HeldLock handle = handles.pop(request);
        if (handle == null) {
            throw new IllegalMonitorStateException("The thread %s does not hold the %s"
                    .formatted(Thread.currentThread().getName(), this));
        }
        handle.close();
        if (handle.isLost()) {
            throw new LockLostException(handle.key(), handle.fencingToken(), "it was lost before it was unlocked");
        }
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("A distributed lock has no conditions");
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LockView view && client == view.client && request.equals(view.request);
    }

    @Override
    public int hashCode() {
        return request.hashCode();
    }

    @Override
    public String toString() {
        return "%s lock of \"%s\""
                .formatted(
                        request.mode().name().toLowerCase(Locale.ROOT),
                        Printable.of(String.join(", ", request.keys())));
    }

    /**
     * The handles threads have through views, which return none to close. Each thread touches its own only; a thread
     * without any is not in it, and one that has ended only until {@link AbandonedLocks} looks. Thread-safe.
     */
    static final class Handles {
        private final ConcurrentMap<Caller, Deque<HeldLock>> handles = new ConcurrentHashMap<>();

        private record Caller(Thread thread, LockRequest request) {
            static Caller of(LockRequest request) {
                return new Caller(Thread.currentThread(), request);
            }
        }

        void push(LockRequest request, HeldLock handle) {
            handles.computeIfAbsent(Caller.of(request), caller -> new ArrayDeque<>())
                    .push(handle);
        }

        /** @return the calling thread's last handle of this request, or null if it has none */
        @Nullable
        HeldLock pop(LockRequest request) {
            Caller caller = Caller.of(request);
            Deque<HeldLock> own = handles.get(caller);
            if (own == null) {
                return null;
            }
            HeldLock last = own.pop();
            if (own.isEmpty()) {
                handles.remove(caller);
            }
            return last;
        }

        /** Every thread that is in it. */
        Stream<Thread> threads() {
            return handles.keySet().stream().map(Caller::thread);
        }

        /** Removes a thread that has ended. @return its handles, which no other thread can reach */
        List<HeldLock> takeAll(Thread ended) {
            return handles.keySet().stream()
                    .filter(caller -> caller.thread() == ended)
                    .map(handles::remove)
                    .filter(Objects::nonNull)
                    .flatMap(Deque::stream)
                    .toList();
        }

        int size() {
            return handles.size();
        }
    }
}
