package io.rowlock.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.resource.ClientResources;
import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.servers.MasterAndReplica;
import io.rowlock.servers.ReplicationLink;
import io.rowlock.test.redis.RedisServer;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SentinelFailOverTests extends FailOverContract {
    private MasterAndReplica servers;

    @Override
    RedisServer start() throws Exception {
        servers = MasterAndReplica.start();
        return servers.master();
    }

    @Override
    void stop() throws IOException {
        servers.close();
    }

    @Test
    void masterThatHasBecomeAReplicaIsLeft() throws Exception {
        HeldLock kept = node.acquire(LockRequest.exclusive("kept"));
        ReplicationLink.awaitInSync(servers.master());
        servers.exchange();
        Outage outage = Outage.of(rival, LockRequest.exclusive("other"));
        assertThat(outage.lasted()).isLessThan(Duration.ofSeconds(15));
        assertThat(rival.tryAcquire(LockRequest.exclusive("kept"))).isEmpty();
        kept.extend(Duration.ofSeconds(30));
        kept.close();
        assertThat(rival.tryAcquire(LockRequest.exclusive("kept"))).isPresent();
    }

    @Override
    RedisLockStore open(ClientResources resources, RedisSettings settings) {
        return RedisLockStore.sentinel(used(RedisClient.create(resources, servers.uri())), settings);
    }

    @Override
    String key(String name) {
        return name;
    }
}
