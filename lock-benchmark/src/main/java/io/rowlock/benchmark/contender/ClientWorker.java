package io.rowlock.benchmark.contender;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import org.jspecify.annotations.Nullable;

/** One thread that takes locks of a {@link LockClient}, whatever its strategy. */
final class ClientWorker implements Worker {
    private final LockClient client;
    private @Nullable HeldLock held;

    ClientWorker(LockClient client) {
        this.client = client;
    }

    @Override
    public void lock(String key) {
        held = client.acquire(LockRequest.exclusive(key));
    }

    @Override
    public void lockShared(String key) {
        held = client.acquire(LockRequest.shared(key));
    }

    @Override
    public void unlock() {
        if (held != null) {
            held.close();
        }
    }
}
