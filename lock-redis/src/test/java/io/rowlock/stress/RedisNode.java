package io.rowlock.stress;

import io.rowlock.client.RowlockClient;
import io.rowlock.client.observe.LockInstrumentation;
import io.rowlock.client.observe.ObservedLock;
import io.rowlock.store.redis.RedisLockStore;
import io.rowlock.store.redis.RedisSettings;
import java.time.Duration;
import java.util.Locale;

/** A process as a program sees it: a client on connections of its own. */
final class RedisNode implements AutoCloseable {
    /** So short that servers, answers and bodies that stand still outlast leases, promises and heartbeats. */
    static final RedisSettings SETTINGS = new RedisSettings(
            RedisSettings.DEFAULT.keyPrefix(),
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            RedisSettings.DEFAULT.keepIdle(),
            Duration.ofMillis(400),
            Duration.ofMillis(200),
            0,
            Duration.ofSeconds(1));

    private static final Duration TTL = Duration.ofMillis(500);

    final String name;
    final RowlockClient client;
    private final RedisLockStore store;

    /** @param late of a hundred answers, how many come late */
    RedisNode(String name, RedisLockStore store, int late, Oracle oracle) {
        this.name = name;
        this.store = store;
        client = RowlockClient.builder(new UnevenStore(store, late))
                .strategy(RedisLockStore.NAME)
                .ttl(TTL)
                .waitTime(Duration.ofMillis(300))
                .owner(name)
                .instrumentation(handoffsCountedBy(oracle))
                .build();
    }

    private static LockInstrumentation handoffsCountedBy(Oracle oracle) {
        return new LockInstrumentation() {
            @Override
            public void count(Incident what, ObservedLock lock) {
                if (what == Incident.HANDED_ON) {
                    oracle.count(
                            "grants without a command, " + lock.mode().name().toLowerCase(Locale.ROOT));
                }
            }
        };
    }

    @Override
    public void close() {
        client.close();
        store.close();
    }
}
