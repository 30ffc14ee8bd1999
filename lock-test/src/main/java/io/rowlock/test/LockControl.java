package io.rowlock.test;

import io.rowlock.HeldLock;
import io.rowlock.LockMode;
import io.rowlock.LockRequest;
import io.rowlock.Printable;
import io.rowlock.client.RowlockClient;
import io.rowlock.client.admin.LockAdmin;
import io.rowlock.client.request.LockClientSettings;
import io.rowlock.store.Lease;
import io.rowlock.store.LockStore;
import io.rowlock.store.inspection.LiveLock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Brings a lock about that is busy, lost or expired, so that a test sees what the application makes of it. Keys are those
 * the application uses, without {@code rowlock.key-prefix}. Thread-safe. A bean in tests with {@link RowlockTest}.
 */
public final class LockControl implements AutoCloseable {
    private static final Duration TTL = Duration.ofMinutes(1);

    private final RowlockClient application;
    private final RowlockClient otherNode;
    private final Map<String, LockStore> stores = new LinkedHashMap<>();

    /**
     * @param application the application's client
     * @param stores the strategies it uses
     */
    public LockControl(RowlockClient application, List<LockStore> stores) {
        this.application = application;
        stores.forEach(store -> this.stores.putIfAbsent(store.strategy(), store));
        LockClientSettings settings = application.settings();
        this.otherNode = RowlockClient.builder(this.stores.values())
                .strategy(settings.strategy())
                .ttl(TTL)
                .waitTime(Duration.ZERO)
                .keyPrefix(settings.keyPrefix())
                .owner("another node " + UUID.randomUUID())
                .build();
    }

    /**
     * Another node acquires a lock: the application finds it busy until it is closed.
     *
     * @param key the key
     * @return what the other node holds
     * @throws io.rowlock.LockNotAcquiredException if another owner has it already
     */
    public HeldLock occupy(String key) {
        return otherNode.acquireForOwnTransaction(LockRequest.exclusive(key), null);
    }

    /**
     * Another node acquires a lock to read: the application's writers find it busy until it is closed.
     *
     * @param key the key
     * @return what the other node holds
     * @throws io.rowlock.LockNotAcquiredException if another owner writes under it already
     */
    public HeldLock occupyShared(String key) {
        return otherNode.acquireForOwnTransaction(LockRequest.shared(key), null);
    }

    /**
     * Another node acquires what is asked for, for example of a strategy that is not the application's default.
     *
     * @param request what it acquires
     * @return what it holds
     * @throws io.rowlock.LockNotAcquiredException if others have it until the request's wait time is over
     */
    public HeldLock occupy(LockRequest request) {
        return otherNode.acquireForOwnTransaction(request, null);
    }

    /**
     * Ends a lock. If the application holds it, the application notices at once: commits under it are refused, and listeners
     * are notified of the loss.
     *
     * @param key the key
     * @throws IllegalStateException if it is not held
     */
    public void lose(String key) {
        requireSome(key, application.admin().release(key, "a test", "to see what becomes of it"));
    }

    /**
     * The ttl of a lock is over, and its holder does not know yet, as after a long pause of its process: others can acquire
     * the lock, the holder's commits are refused, and its next renewal finds out. Of several locks of the key, each that can expire does.
     *
     * @param key the key
     * @throws IllegalStateException if it is not held, or if a strategy does not show its holder, as {@code row-lock}
     */
    public void expire(String key) {
        requireSome(key, application.admin().holders(key));
        String stored = application.settings().stored(key);
        List<LiveLock> left = new ArrayList<>();
        stores.forEach((strategy, store) -> store.inspection().ifPresent(inspection -> {
            for (LiveLock lock : inspection.holders(stored)) {
                Long fence = lock.fence();
                if (fence == null) {
                    left.add(lock);
                } else {
                    boolean unused =
                            store.release(new Lease(lock.key(), lock.mode(), lock.slot(), fence, lock.owner()));
                }
            }
        }));
        if (!left.isEmpty()) {
            throw new IllegalStateException(
                    "The lock \"%s\" cannot be made to expire: its strategy does not show its holder (%s)"
                            .formatted(Printable.of(key), left.get(0)));
        }
    }

    private static void requireSome(String key, List<LockAdmin.Held> held) {
        if (held.isEmpty()) {
            throw new IllegalStateException("The lock \"%s\" is not held".formatted(Printable.of(key)));
        }
    }

    /**
     * Returns true if the application holds a lock at the moment; to be asked from within what the lock is to guard, for example in
     * the answer of a mock.
     *
     * @param key the key
     * @param mode how it is to be held; who holds it exclusively holds it shared, too
     * @return true if so
     */
    public boolean isHeldByApplication(String key, LockMode mode) {
        return application.admin().holders(key).stream()
                .anyMatch(seen -> seen.thisNode()
                        && seen.since() != null
                        && (seen.mode() == mode || seen.mode().covers(mode)));
    }

    /** Gives back what the other node has. */
    @Override
    public void close() {
        otherNode.close();
    }
}
