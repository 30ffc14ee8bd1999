package io.rowlock.integration;

import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.Printable;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.springframework.integration.support.locks.DistributedLock;

/** A key of a registry. Thread-safe. */
record RegisteredLock(LockClient client, LockRequest request) implements DistributedLock {
    @Override
    public void lock() {
        view().lock();
    }

    @Override
    public void lock(Duration ttl) {
        view(ttl).lock();
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        view().lockInterruptibly();
    }

    @Override
    public boolean tryLock() {
        return view().tryLock();
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return view().tryLock(time, unit);
    }

    @Override
    public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
        return view(ttl).tryLock(TimeUnit.NANOSECONDS.convert(waitTime), TimeUnit.NANOSECONDS);
    }

    /** Unlocks what the thread locked last, with whichever ttl. */
    @Override
    public void unlock() {
        view().unlock();
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

    @Override
    public String toString() {
        return "exclusive lock of \"%s\"".formatted(Printable.of(request.keys().get(0)));
    }
}
