package io.rowlock.fault;

import io.lettuce.core.RedisClient;
import io.lettuce.core.resource.ClientResources;
import io.rowlock.HeldLock;
import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.client.RowlockClient;
import io.rowlock.store.Lease;
import io.rowlock.store.redis.LettuceOptions;
import io.rowlock.store.redis.RedisInsides;
import io.rowlock.store.redis.RedisLockStore;
import io.rowlock.store.redis.RedisSettings;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A process whose locks are in Redis. */
final class RedisProgram implements Program {
    private static final long CONNECTING = TimeUnit.SECONDS.toNanos(60);

    private final String owner;
    private final RedisClient redis;
    private final RedisLockStore store;
    private final RowlockClient client;

    /** @param patience after how long it gives an answer up */
    RedisProgram(String owner, String uri, ClientResources resources, RedisSetup setup, Duration patience) {
        RedisSettings settings = new RedisSettings(
                        RedisSettings.DEFAULT.keyPrefix(),
                        patience,
                        patience,
                        RedisSettings.DEFAULT.keepIdle(),
                        Duration.ofMillis(1_500),
                        Duration.ofMillis(500),
                        0,
                        Duration.ofSeconds(1))
                .withMinReplicas(setup.replicas, patience.dividedBy(2));
        this.owner = owner;
        redis = RedisClient.create(LettuceOptions.resources(resources, settings), uri);
        store = connected(settings);
        client = RowlockClient.builder(store)
                .strategy(RedisLockStore.NAME)
                .ttl(Stage.TTL)
                .waitTime(Stage.PATIENCE)
                .owner(owner)
                .build();
    }

    /** Its patience is that of a scenario, and no run is to fail on a busy machine before it begins. */
    private RedisLockStore connected(RedisSettings settings) {
        long end = System.nanoTime() + CONNECTING;
        while (true) {
            try {
                return RedisLockStore.standalone(redis, settings);
            } catch (LockStoreException e) {
                if (System.nanoTime() - end > 0) {
                    throw e;
                }
            }
        }
    }

    @Override
    public String owner() {
        return owner;
    }

    @Override
    public RowlockClient client() {
        return client;
    }

    /** As if a database had seen a greater token of the key. @return whether the lock was ended */
    boolean raise(HeldLock exclusive, long seen) {
        return store.raise(new Lease(exclusive.key(), LockMode.EXCLUSIVE, 0, exclusive.fencingToken(), owner), seen);
    }

    int waiting() {
        return RedisInsides.waiting(store);
    }

    @Override
    public void close() {
        client.close();
        store.close();
        redis.shutdown(0, 1, TimeUnit.SECONDS);
    }
}
