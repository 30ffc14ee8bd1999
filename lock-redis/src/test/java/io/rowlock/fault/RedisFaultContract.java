package io.rowlock.fault;

import io.lettuce.core.RedisClient;
import io.rowlock.store.redis.RedisLockStore;
import io.rowlock.store.redis.RedisSettings;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import org.junit.jupiter.api.BeforeAll;

@OnRedis
abstract class RedisFaultContract extends FaultContract {
    private final RedisSetup setup;

    RedisFaultContract(RedisSetup setup, int every) {
        super(every);
        this.setup = setup;
    }

    @BeforeAll
    void record(RedisServer server) throws Exception {
        RedisClient client = RedisClient.create(server.uri());
        try (RedisLockStore store = RedisLockStore.standalone(client, RedisSettings.DEFAULT)) {
            record(
                    new RedisTheatre(setup),
                    RedisScenarios.all(setup, store.capabilities()),
                    store.report().description() + ", strategy " + setup.label());
        } finally {
            client.shutdown();
        }
    }
}
