package io.rowlock.benchmark.contender;

import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.LockRegistry;

/** One thread that takes locks of a registry of Spring Integration. */
final class RegistryWorker implements Worker {
    private final LockRegistry<?> registry;
    private @Nullable Lock held;

    RegistryWorker(LockRegistry<?> registry) {
        this.registry = registry;
    }

    @Override
    public void lock(String key) {
        Lock lock = registry.obtain(key);
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
