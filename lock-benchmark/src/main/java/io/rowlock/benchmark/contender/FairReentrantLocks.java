package io.rowlock.benchmark.contender;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/** A fair lock of the JDK for each key, and one of readers and writers: what it costs to let threads in in their order, without a server. */
final class FairReentrantLocks implements Locks {
    private final Map<String, ReentrantLock> locks = new ConcurrentHashMap<>();
    private final Map<String, ReadWriteLock> shared = new ConcurrentHashMap<>();

    @Override
    public Worker worker() {
        return new LockWorker();
    }

    @Override
    public void close() {
        locks.clear();
        shared.clear();
    }

    private final class LockWorker implements Worker {
        private @Nullable Lock held;

        @Override
        public void lock(String key) {
            take(locks.computeIfAbsent(key, any -> new ReentrantLock(true)));
        }

        @Override
        public void lockAgainstReaders(String key) {
            take(shared(key).writeLock());
        }

        @Override
        public void lockShared(String key) {
            take(shared(key).readLock());
        }

        private ReadWriteLock shared(String key) {
            return shared.computeIfAbsent(key, any -> new ReentrantReadWriteLock(true));
        }

        private void take(Lock lock) {
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
