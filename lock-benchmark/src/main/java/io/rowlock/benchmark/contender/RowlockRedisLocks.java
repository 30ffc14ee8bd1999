package io.rowlock.benchmark.contender;

import io.rowlock.benchmark.server.Servers;
import io.rowlock.client.RowlockClient;

/** Rowlock with strategy {@code redis} by its public API. All threads share one connection for commands, as always. */
final class RowlockRedisLocks implements Locks {
    private final RedisStore redis;
    private final RowlockClient client;

    RowlockRedisLocks(Servers servers) {
        redis = new RedisStore(servers);
        client = RowlockLocks.client(redis.store());
    }

    @Override
    public Worker worker() {
        return new ClientWorker(client);
    }

    @Override
    public void close() {
        client.close();
        redis.close();
    }
}
