package io.rowlock.shedlock;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.rowlock.test.OnServer;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import java.util.Map;
import org.junit.jupiter.api.Tag;

@Tag("full")
@OnServer
@OnRedis
class RedisLockProviderTests extends LockProviderContract {
    private final RedisServer redis = RedisServer.find().orElseThrow();

    @Override
    Node start() {
        return Node.start(
                schema, Map.of("rowlock.strategy", "redis", "spring.data.redis.url", redis.uri()), this::expire);
    }

    private void expire(String name) {
        try (RedisClient client = RedisClient.create(redis.uri());
                StatefulRedisConnection<String, String> connection = client.connect()) {
            connection.sync().keys("*" + name + "*").forEach(connection.sync()::del);
        }
    }
}
