package io.rowlock.fault;

import org.junit.jupiter.api.Tag;

/** A sample, since only the taking of leases differs. */
@Tag("full")
class ReplicatedRedisFaultTests extends RedisFaultContract {
    ReplicatedRedisFaultTests() {
        super(RedisSetup.REPLICATED, 8);
    }
}
