package io.rowlock.store.redis;

import io.rowlock.contract.LockStoreContract;
import io.rowlock.servers.ThreeMasters;
import io.rowlock.store.Lease;
import io.rowlock.store.LockStore;
import io.rowlock.test.redis.OnRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** A cluster of three masters is held to the contract, too. */
@OnRedis
@Tag("full")
class RedisClusterStoreTests extends LockStoreContract {
    private static ThreeMasters cluster;
    private static TestRedis redis;

    @BeforeAll
    static void start() throws Exception {
        cluster = ThreeMasters.start();
        redis = new TestRedis(cluster.uris());
    }

    @AfterAll
    static void stop() {
        if (redis != null) {
            redis.close();
        }
        if (cluster != null) {
            cluster.close();
        }
    }

    @Override
    protected LockStore createStore() {
        return redis.reused();
    }

    @Override
    protected boolean supportsPermits() {
        return true;
    }

    @Override
    protected void expire(Lease lease) {
        redis.expire(lease);
    }
}
