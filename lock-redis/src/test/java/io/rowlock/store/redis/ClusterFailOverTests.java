package io.rowlock.store.redis;

import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import io.rowlock.servers.ThreeMasters;
import io.rowlock.test.redis.RedisServer;
import org.junit.jupiter.api.Tag;

@Tag("full")
class ClusterFailOverTests extends FailOverContract {
    private ThreeMasters servers;

    @Override
    RedisServer start() throws Exception {
        servers = ThreeMasters.startWithReplicas();
        return servers.masters().get(0);
    }

    @Override
    void stop() {
        servers.close();
    }

    @Override
    RedisLockStore open(ClientResources resources, RedisSettings settings) {
        return RedisLockStore.cluster(used(RedisClusterClient.create(resources, servers.uris())), settings);
    }

    @Override
    String key(String name) {
        return ThreeMasters.keyOfTheFirst(name);
    }
}
