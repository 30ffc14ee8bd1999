package io.rowlock.benchmark.workload;

import io.rowlock.benchmark.contender.RedisStore;
import io.rowlock.benchmark.server.Servers;
import java.util.List;

/** Strategy {@code redis}, renewed as the client does. */
final class RedisRenewal implements RenewalTick.HeldLocks {
    private final RedisStore redis;
    private final HeldLeases leases;

    RedisRenewal(Servers servers) {
        redis = new RedisStore(servers);
        leases = new HeldLeases(redis.store());
    }

    @Override
    public String name() {
        return "rowlock-redis";
    }

    @Override
    public boolean isOnDatabase() {
        return false;
    }

    @Override
    public void hold(List<String> keys) {
        leases.hold(keys);
    }

    @Override
    public void renewAll() {
        leases.renewAll();
    }

    @Override
    public void close() {
        leases.releaseAll();
        redis.close();
    }
}
