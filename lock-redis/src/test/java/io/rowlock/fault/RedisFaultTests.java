package io.rowlock.fault;

/** Single faults are complete here. */
class RedisFaultTests extends RedisFaultContract {
    RedisFaultTests() {
        super(RedisSetup.REDIS, 1);
    }
}
