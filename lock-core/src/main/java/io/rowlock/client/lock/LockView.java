package io.rowlock.client.lock;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockInterruptedException;
import io.rowlock.LockLostException;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.Printable;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** A lock of a client as a {@link Lock}. All state is the client's, so every view of a key is the same lock; views of equal requests are equal. */
record LockView(LockClient client, LockRequest request, Handles handles, ThreadLocks threadLocks) implements Lock {
    /** No limit in practice: a year, which is as long as a request can wait. */
    private static final Duration ENDLESS = Duration.ofDays(365);

    @Override
    public void lock() {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    handles.push(request, acquired());
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
            handles.push(request, acquired());
        } catch (LockInterruptedException e) {
            throw interruption(e);
        }
    }

    /** Waits without end, unless others may wait for what the thread cannot release before its transaction: two such waits would not end. */
    private HeldLock acquired() {
        if (threadLocks.guardingCaller().stream().noneMatch(ThreadLock::isKept)) {
            return client.acquire(request.withWaitTime(ENDLESS));
        }
        try {
            return client.acquire(request);
        } catch (LockInterruptedException e) {
            throw e;
        } catch (LockNotAcquiredException e) {
            throw LockNotAcquiredException.inTransaction(
                    e.key(),
                    e.waited(),
                    ("it is held by %s, and lock() does not wait for ever while a transaction of the thread keeps a lock, as two such waits"
                                    + " could be for each other")
                            .formatted(e.holder().orElse("another owner")));
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
    public String toString() {
        return "%s lock of \"%s\""
                .formatted(
                        request.mode().name().toLowerCase(Locale.ROOT),
                        Printable.of(String.join(", ", request.keys())));
    }

    /** The handles that each thread has through views, which return none to close. No other thread can reach them. */
    static final class Handles {
        private final ThreadLocal<Deque<Locked>> own = ThreadLocal.withInitial(ArrayDeque::new);

        private record Locked(LockRequest request, HeldLock handle) {
            /** Returns true if a view of {@code other} unlocks it. */
            boolean isOf(LockRequest other) {
                return request.mode() == other.mode()
                        && request.keys().equals(other.keys())
                        && Objects.equals(request.strategy(), other.strategy());
            }
        }

        void push(LockRequest request, HeldLock handle) {
            if (handle instanceof LockHandle lease) { // one of strategy transaction ends with its transaction
                lease.endsWithItsThread();
            }
            own.get().push(new Locked(request, handle));
        }

        /** @return the calling thread's last handle of these keys, mode and strategy, or null if it has none */
        @Nullable
        HeldLock pop(LockRequest request) {
            Deque<Locked> all = own.get();
            Locked last =
                    all.stream().filter(each -> each.isOf(request)).findFirst().orElse(null);
            all.remove(last);
            if (all.isEmpty()) {
                own.remove();
            }
            return last == null ? null : last.handle();
        }
    }
}
