package io.rowlock.benchmark.contender;

import io.lettuce.core.RedisClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.rowlock.benchmark.server.Servers;
import io.rowlock.store.LockStore;
import io.rowlock.store.redis.LettuceOptions;
import io.rowlock.store.redis.RedisLockStore;
import io.rowlock.store.redis.RedisSettings;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Strategy {@code redis} on one server, connected as the starter would. */
public final class RedisStore implements AutoCloseable {
    private static final int LONGEST_END_SECONDS = 5;

    private final ClientResources base = DefaultClientResources.create();
    private final ClientResources resources = LettuceOptions.resources(base, RedisSettings.DEFAULT);
    private final RedisClient redis;
    private final RedisLockStore store;

    /** @param servers where Redis is */
    public RedisStore(Servers servers) {
        redis = RedisClient.create(resources, servers.requiredRedisUrl());
        store = RedisLockStore.standalone(redis, RedisSettings.DEFAULT);
    }

    /** @return the store, which is closed with this object */
    public LockStore store() {
        return store;
    }

    @Override
    public void close() {
        store.close();
        redis.shutdown(Duration.ZERO, Duration.ofSeconds(LONGEST_END_SECONDS));
        var unused = resources.shutdown(0, LONGEST_END_SECONDS, TimeUnit.SECONDS);
        var unusedToo = base.shutdown(0, LONGEST_END_SECONDS, TimeUnit.SECONDS);
    }
}
