package io.rowlock.store.redis;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.rowlock.LockMode;
import io.rowlock.store.Lease;
import io.rowlock.test.redis.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Stores on one server, each with connections of its own, and what a test does to the server behind their back. */
final class TestRedis implements AutoCloseable {
    static final ClientResources RESOURCES = LettuceOptions.resources(
            DefaultClientResources.builder()
                    .ioThreadPoolSize(2)
                    .computationThreadPoolSize(2)
                    .build(),
            RedisSettings.DEFAULT);

    private static final String EXPIRE_WRITER = "redis.call('HSET', KEYS[1], 'u', string.format('%.0f',"
            + " redis.call('TIME')[1] * 1000000 + redis.call('TIME')[2] - 1)) return 1";
    private static final String EXPIRE_READER =
            "local v = redis.call('HGET', KEYS[1], ARGV[1]) if not v then return 0 end redis.call('HSET', KEYS[1], ARGV[1],"
                    + " (string.gsub(v, '^%S+', string.format('%.0f', redis.call('TIME')[1] * 1000000 + redis.call('TIME')[2] - 1))))"
                    + " return 1";

    private final AbstractRedisClient client;
    private final RedisClusterCommands<String, String> commands;
    private final Function<RedisSettings, RedisLockStore> opening;
    private final List<RedisLockStore> stores = new ArrayList<>();
    private int given;

    TestRedis(RedisServer server) {
        this(server.uri());
    }

    TestRedis(String uri) {
        RedisClient direct = RedisClient.create(RESOURCES, uri);
        this.client = direct;
        this.commands = direct.connect().sync();
        this.opening = settings -> RedisLockStore.standalone(RedisClient.create(RESOURCES, uri), settings);
    }

    /** @param uris of some nodes of a cluster */
    TestRedis(List<RedisURI> uris) {
        RedisClusterClient cluster = RedisClusterClient.create(RESOURCES, uris);
        this.client = cluster;
        this.commands = cluster.connect().sync();
        this.opening = settings -> RedisLockStore.cluster(RedisClusterClient.create(RESOURCES, uris), settings);
    }

    RedisLockStore store() {
        return store(RedisSettings.DEFAULT);
    }

    RedisLockStore store(RedisSettings settings) {
        RedisLockStore store = opening.apply(settings);
        stores.add(store);
        return store;
    }

    /** A store that tests may have used before; two that follow one another are different. */
    RedisLockStore reused() {
        if (stores.size() < 2) {
            return store();
        }
        given++;
        return stores.get(given % 2);
    }

    /** A connection that no store uses. */
    RedisClusterCommands<String, String> commands() {
        return commands;
    }

    void expire(Lease lease) {
        String gate = new LockKeys(RedisSettings.DEFAULT.keyPrefix()).gate(lease.key());
        if (lease.mode() == LockMode.EXCLUSIVE) {
            commands.eval(EXPIRE_WRITER, ScriptOutputType.INTEGER, gate);
        } else {
            commands.eval(
                    EXPIRE_READER, ScriptOutputType.INTEGER, new String[] {gate + ":r"}, String.valueOf(lease.slot()));
        }
    }

    @Override
    public void close() {
        stores.forEach(RedisLockStore::close);
        client.shutdown();
    }
}
