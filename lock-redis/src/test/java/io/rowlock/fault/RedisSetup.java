package io.rowlock.fault;

import io.rowlock.store.redis.RedisLockStore;

/** Strategy {@code redis}. No request that its client has given up takes a key: the server does not carry it out. */
enum RedisSetup implements Setup {
    REDIS(RedisLockStore.NAME, 0),

    /** A lease counts only once a replica has it. */
    REPLICATED(RedisLockStore.NAME + " with a replica", 1);

    private final String label;

    /** How many replicas the server has, all of which must have a lease. */
    final int replicas;

    RedisSetup(String label, int replicas) {
        this.label = label;
        this.replicas = replicas;
    }

    @Override
    public String label() {
        return label;
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
