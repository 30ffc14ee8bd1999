package io.rowlock.client;

import io.rowlock.LockMode;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.store.memory.InMemoryLockStore;
import java.time.Duration;

/** Requests for tests that do not send them to a store. */
public final class Requests {
    private Requests() {}

    public static ResolvedRequest of(String key, LockMode mode) {
        Duration ttl = Duration.ofSeconds(30);
        return new ResolvedRequest(
                new InMemoryLockStore(),
                key,
                key,
                mode,
                ttl,
                true,
                ttl.dividedBy(3),
                Duration.ZERO,
                "owner",
                "none",
                0,
                ResolvedRequest.Asked.NOTHING);
    }
}
