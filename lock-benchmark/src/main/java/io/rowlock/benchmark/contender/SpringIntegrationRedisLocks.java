package io.rowlock.benchmark.contender;

import io.lettuce.core.RedisURI;
import io.rowlock.benchmark.server.Servers;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/**
 * Spring Integration's registry on Redis, without renewal, as it comes. Its waiters listen for releases: by default they would try
 * every 100 ms. All threads share one connection for commands, as Spring Data's default is.
 */
final class SpringIntegrationRedisLocks implements Locks {
    private final LettuceConnectionFactory connections;
    private final RedisLockRegistry registry;

    SpringIntegrationRedisLocks(Servers servers) {
        RedisURI uri = RedisURI.create(servers.requiredRedisUrl());
        connections = new LettuceConnectionFactory(uri.getHost(), uri.getPort());
        connections.afterPropertiesSet();
        connections.start();
        registry = new RedisLockRegistry(connections, "benchmark");
        registry.setRedisLockType(RedisLockType.PUB_SUB_LOCK);
    }

    @Override
    public Worker worker() {
        return new RegistryWorker(registry);
    }

    @Override
    public void close() {
        registry.destroy();
        connections.destroy();
    }
}
