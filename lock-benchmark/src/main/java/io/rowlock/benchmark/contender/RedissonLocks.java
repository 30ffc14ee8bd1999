package io.rowlock.benchmark.contender;

import io.rowlock.benchmark.server.Servers;
import java.util.concurrent.locks.Lock;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's locks with its watchdog, on one Redis server, with as many connections as threads. */
final class RedissonLocks implements Locks {
    private final RedissonClient client;
    private final BiFunction<RedissonClient, String, Lock> kind;

    RedissonLocks(Servers servers, int threads, BiFunction<RedissonClient, String, Lock> kind) {
        this.kind = kind;
        Config config = new Config();
        config.useSingleServer()
                .setAddress(servers.requiredRedisUrl())
                .setConnectionPoolSize(threads)
                .setConnectionMinimumIdleSize(threads);
        client = Redisson.create(config);
    }

    @Override
    public Worker worker() {
        return new RedissonWorker();
    }

    @Override
    public void close() {
        client.shutdown();
    }

    private final class RedissonWorker implements Worker {
        private @Nullable Lock held;

        @Override
        public void lock(String key) {
            take(kind.apply(client, key));
        }

        @Override
        public void lockAgainstReaders(String key) {
            take(client.getReadWriteLock(key).writeLock());
        }

        @Override
        public void lockShared(String key) {
            take(client.getReadWriteLock(key).readLock());
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
