package io.rowlock.benchmark.contender;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A fair lock of the JDK for each key: what it costs to hand a lock from thread to thread in their order. */
final class FairReentrantLocks implements Locks {
    private final Map<String, ReentrantLock> locks = new ConcurrentHashMap<>();

    @Override
    public Worker worker() {
        return new LockWorker();
    }

    @Override
    public void close() {
        locks.clear();
    }

    private final class LockWorker implements Worker {
        private @Nullable ReentrantLock held;

        @Override
        public void lock(String key) {
            ReentrantLock lock = locks.computeIfAbsent(key, any -> new ReentrantLock(true));
            lock.lock();
            held = lock;
        }

        @Override
        public void unlock() {
            if (held != null) {
                held.unlock();
            }
        }
    }
}
