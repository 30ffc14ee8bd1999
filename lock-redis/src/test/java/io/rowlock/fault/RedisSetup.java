package io.rowlock.fault;

import io.rowlock.store.redis.RedisLockStore;

/** Strategy {@code redis}. No request that its client has given up takes a key: the server does not carry it out. */
enum RedisSetup implements Setup {
    REDIS;

    @Override
    public String label() {
        return RedisLockStore.NAME;
    }

    @Override
    public boolean isLasting() {
        return true;
    }

    @Override
    public boolean isLateRequestOfEffect() {
        return false;
    }

    @Override
    public boolean takes(Request request) {
        return ((RedisRequest) request).name().equals("acquire");
    }
}
