package io.rowlock.fault;

/** Single faults are complete here in every build. */
class RedisFaultTests extends RedisFaultContract {
    RedisFaultTests() {
        super(RedisSetup.REDIS, 1);
    }
}
