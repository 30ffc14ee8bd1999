package io.rowlock.autoconfigure.application;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.client.RowlockClient;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.springframework.context.ConfigurableApplicationContext;

/** A second application on the same schema: what it sees and can take is what another node would. */
public final class OtherNode implements AutoCloseable {
    private final FreshSchema schema;
    private final ConfigurableApplicationContext context;
    private final LockClient locks;

    private OtherNode(FreshSchema schema, ConfigurableApplicationContext context) {
        this.schema = schema;
        this.context = context;
        this.locks = context.getBean(LockClient.class);
    }

    public static OtherNode on(FreshSchema schema) {
        return new OtherNode(
                schema,
                new TestApplication(schema)
                        .with("spring.application.name", "other")
                        // an attempt at a row that a commit has locked waits for a second; a stalled machine must not
                        // make it an outage
                        .with("rowlock.pool.query-timeout", "30s")
                        .start());
    }

    /** Returns true if it could have the lock now, also that of a leader. On a thread of its own: the caller may be in a transaction. */
    public boolean canLock(String key) {
        return CompletableFuture.supplyAsync(() -> {
                    Optional<HeldLock> lock =
                            context.getBean(RowlockClient.class).tryAcquireReserved(LockRequest.exclusive(key));
                    lock.ifPresent(HeldLock::close);
                    return lock.isPresent();
                })
                .join();
    }

    public HeldLock lock(String... keys) {
        return locks.acquire(LockRequest.exclusive(keys));
    }

    public HeldLock lock(LockRequest request) {
        return locks.acquire(request);
    }

    public HeldLock lockShared(String key) {
        return locks.acquire(LockRequest.shared(key));
    }

    /** Takes a lock over from its holder, whose lease is over. */
    public HeldLock takeOver(String key) {
        age(key);
        return locks.tryAcquire(LockRequest.exclusive(key)).orElseThrow();
    }

    /** Makes the leases of a key run out, as if their ttl had passed. */
    public void age(String key) {
        int aged = schema.jdbc().update("UPDATE rowlock_lock SET expires_at = '1970-01-01' WHERE lock_key = ?", (Object)
                key.getBytes(StandardCharsets.UTF_8));
        if (aged != 1) {
            throw new AssertionError(key + " has " + aged + " leases");
        }
    }

    @Override
    public void close() {
        context.close();
    }
}
