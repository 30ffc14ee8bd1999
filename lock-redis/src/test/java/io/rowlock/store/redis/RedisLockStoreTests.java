package io.rowlock.store.redis;

import io.rowlock.contract.LockStoreContract;
import io.rowlock.store.Lease;
import io.rowlock.store.LockStore;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import org.junit.jupiter.api.AfterEach;

@OnRedis
class RedisLockStoreTests extends LockStoreContract {
    private final TestRedis redis;

    RedisLockStoreTests(RedisServer server) {
        this.redis = new TestRedis(server);
    }

    @AfterEach
    void close() {
        redis.close();
    }

    @Override
    protected LockStore createStore() {
        return redis.store();
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
