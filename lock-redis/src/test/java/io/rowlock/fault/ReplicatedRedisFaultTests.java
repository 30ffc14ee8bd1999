package io.rowlock.fault;

/** A sample in every build, since only the taking of leases differs. */
class ReplicatedRedisFaultTests extends RedisFaultContract {
    ReplicatedRedisFaultTests() {
        super(RedisSetup.REPLICATED, 8);
    }
}
