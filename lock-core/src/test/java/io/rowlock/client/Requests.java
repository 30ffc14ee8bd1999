package io.rowlock.client;

import io.rowlock.LockMode;
import io.rowlock.LockRequest;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.store.memory.InMemoryLockStore;
import java.time.Duration;
import java.util.List;

/** Requests for tests that do not send them to a store. */
public final class Requests {
    private Requests() {}

    public static ResolvedRequest of(String key, LockMode mode) {
        Duration ttl = Duration.ofSeconds(30);
        LockRequest asked = LockRequest.of(mode, List.of(key)).withName("none");
        return new ResolvedRequest(new InMemoryLockStore(), asked, key, key, mode, ttl, true, "owner");
    }
}
