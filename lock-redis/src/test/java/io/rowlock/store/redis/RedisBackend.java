package io.rowlock.store.redis;

import io.lettuce.core.RedisURI;
import io.rowlock.LockListener;
import io.rowlock.client.LockBackend;
import io.rowlock.client.LockData;
import io.rowlock.client.LockNode;
import io.rowlock.client.request.Handoff;
import io.rowlock.store.LockLog;
import io.rowlock.test.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Locks in Redis, under a prefix that no test has used before. */
final class RedisBackend implements LockBackend {
    private static final AtomicInteger PREFIXES = new AtomicInteger();

    private final RedisSettings settings = settings("test" + PREFIXES.incrementAndGet() + ":");
    private final TestRedis redis;
    private final RedisData data;

    /** @param servers one, or the masters of a cluster */
    RedisBackend(List<RedisServer> servers) {
        redis = servers.size() == 1
                ? new TestRedis(servers.get(0))
                : new TestRedis(servers.stream()
                        .map(server -> RedisURI.create(server.uri()))
                        .toList());
        data = new RedisData(redis, redis.store(settings), new LockKeys(settings.keyPrefix()), servers);
    }

    private static RedisSettings settings(String prefix) {
        RedisSettings usual = RedisSettings.DEFAULT;
        return new RedisSettings(
                prefix,
                Duration.ofSeconds(6),
                usual.connectTimeout(),
                usual.keepIdle(),
                usual.promise(),
                usual.heartbeat(),
                0,
                Duration.ofSeconds(1));
    }

    @Override
    public LockData data() {
        return data;
    }

    @Override
    public LockNode node(String owner, Handoff handoff, LockListener... listeners) {
        return new LockNode(redis.store(settings), owner, LockLog.NONE, handoff, listeners);
    }

    @Override
    public void close() {
        data.close();
        redis.close();
    }
}
