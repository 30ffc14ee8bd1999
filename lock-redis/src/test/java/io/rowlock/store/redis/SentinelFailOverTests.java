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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
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
        HeldLock kept = Outage.of(node, LockRequest.exclusive("kept")).lock();
        ReplicationLink.awaitInSync(servers.master());
        servers.exchange();
        Outage outage = Outage.of(rival, LockRequest.exclusive("other"));
        assertThat(outage.lasted()).isLessThan(LONG.dividedBy(3));
        assertThat(answered(() -> rival.tryAcquire(LockRequest.exclusive("kept"))))
                .isEmpty();
        assertThat(extended(kept, LONG)).isTrue();
        close(kept);
        assertThat(answered(() -> rival.tryAcquire(LockRequest.exclusive("kept").withWaitTime(LONG))))
                .isPresent();
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
