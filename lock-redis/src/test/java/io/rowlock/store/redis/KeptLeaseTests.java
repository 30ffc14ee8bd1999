package io.rowlock.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A waiter's question that is still on its way while the lease it was promised is used, and released for later. */
@OnRedis
class KeptLeaseTests {
    private static final Duration MINIMUM = Duration.ofSeconds(60);

    private final String key = "key-" + UUID.randomUUID();
    private final TestRedis redis;
    private final RedisLockStore store;

    KeptLeaseTests(RedisServer server) {
        redis = new TestRedis(server);
        store = redis.store();
    }

    @AfterEach
    void close() {
        redis.close();
    }

    @ParameterizedTest
    @EnumSource
    void questionThatComesTwiceMakesNoMinimumLonger(LockMode mode) {
        LeaseRequest request = new LeaseRequest(
                key, mode, "alice", Duration.ofHours(1), 1, Duration.ZERO, mode == LockMode.PERMIT ? 1 : 0);
        Lease lease = ((Attempt.Taken) store.tryAcquire(request)).lease();
        assertThat(store.release(lease, MINIMUM)).isTrue();
        store.tryAcquire(request);
        assertThat(store.inspection().orElseThrow().holders(key))
                .singleElement()
                .satisfies(kept -> assertThat(kept.remaining()).isLessThanOrEqualTo(MINIMUM));
    }
}
