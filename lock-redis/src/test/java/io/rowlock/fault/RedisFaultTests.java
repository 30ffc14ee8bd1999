package io.rowlock.fault;

import io.lettuce.core.RedisClient;
import io.rowlock.store.redis.RedisLockStore;
import io.rowlock.store.redis.RedisSettings;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import org.junit.jupiter.api.BeforeAll;

@OnRedis
class RedisFaultTests extends FaultContract {
    RedisFaultTests() {
        super(1);
    }

    @BeforeAll
    void record(RedisServer server) throws Exception {
        RedisClient client = RedisClient.create(server.uri());
        try (RedisLockStore store = RedisLockStore.standalone(client, RedisSettings.DEFAULT)) {
            record(
                    new RedisTheatre(),
                    RedisScenarios.all(store.capabilities()),
                    store.report().description());
        } finally {
            client.shutdown();
        }
    }
}
