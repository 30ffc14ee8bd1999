package io.rowlock.integration;

import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.springframework.integration.support.locks.DistributedLock;

/** A key of a registry. Thread-safe. */
record RegisteredLock(LockClient client, LockRequest request) implements DistributedLock {
    /**
     * The views that the thread has locked and not unlocked, the last one first. Each ttl has a view of its own with the client, and only a view
     * of the same ttl unlocks what was locked through it.
     */
    private static final ThreadLocal<Map<RegisteredLock, Deque<Lock>>> LOCKED = ThreadLocal.withInitial(HashMap::new);

    @Override
    public void lock() {
        lock(view());
    }

    @Override
    public void lock(Duration ttl) {
        lock(view(ttl));
    }

    private void lock(Lock view) {
        view.lock();
        noteLocked(view);
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        Lock view = view();
        view.lockInterruptibly();
        noteLocked(view);
    }

    @Override
    public boolean tryLock() {
        Lock view = view();
        return noted(view, view.tryLock());
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        Lock view = view();
        return noted(view, view.tryLock(time, unit));
    }

    @Override
    public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
        Lock view = view(ttl);
        return noted(view, view.tryLock(TimeUnit.NANOSECONDS.convert(waitTime), TimeUnit.NANOSECONDS));
    }

    @Override
    public void unlock() {
        Map<RegisteredLock, Deque<Lock>> locked = LOCKED.get();
        Deque<Lock> own = locked.get(this);
        Lock view = own == null ? view() : own.pop();
        if (own != null && own.isEmpty()) {
            locked.remove(this);
        }
        if (locked.isEmpty()) {
            LOCKED.remove();
        }
        view.unlock();
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("A distributed lock has no conditions");
    }

    private Lock view() {
        return client.lock(request);
    }

    private Lock view(Duration ttl) {
        return client.lock(request.withTtl(ttl));
    }

    private boolean noted(Lock view, boolean locked) {
        if (locked) {
            noteLocked(view);
        }
        return locked;
    }

    private void noteLocked(Lock view) {
        LOCKED.get().computeIfAbsent(this, lock -> new ArrayDeque<>()).push(view);
    }

    @Override
    public String toString() {
        return "exclusive lock of \"%s\"".formatted(request.keys().get(0));
    }
}
