package io.rowlock.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RestoreArgs;
import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tokens of a server that has lost data: smaller ones than a database has seen if its clock is behind, else greater ones. */
@OnRedis
class RaisedTokenTests {
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final long AN_HOUR = 3_600_000_000L;
    private static final AtomicLong NONCES = new AtomicLong(System.nanoTime() >>> 1);

    private final String key = "key-" + UUID.randomUUID();
    private final TestRedis redis;
    private RedisLockStore store;

    RaisedTokenTests(RedisServer server) {
        redis = new TestRedis(server);
    }

    @BeforeEach
    void open() {
        store = redis.store();
    }

    @AfterEach
    void close() {
        redis.close();
    }

    private Attempt attempt(LockMode mode) {
        return store.tryAcquire(new LeaseRequest(key, mode, "alice", TTL, NONCES.incrementAndGet(), Duration.ZERO, 0));
    }

    private Lease taken(LockMode mode) {
        return ((Attempt.Taken) attempt(mode)).lease();
    }

    private String gate() {
        return new LockKeys("rowlock:").gate(key);
    }

    private boolean isHeld(Lease lease) {
        return store.renew(List.of(lease), TTL).get(lease) == Renewal.RENEWED;
    }

    @Test
    void leaseEndsAndTheNextTokenIsGreaterThanWhatWasSeen() {
        Lease lease = taken(LockMode.EXCLUSIVE);
        long seen = lease.fence() + AN_HOUR;
        assertThat(store.raise(lease, seen)).isTrue();
        assertThat(isHeld(lease)).isFalse();
        Lease next = taken(LockMode.EXCLUSIVE);
        assertThat(next.fence()).isBetween(seen + 1, seen + 128);
        assertThat(store.raise(lease, seen)).isFalse();
        assertThat(isHeld(next)).isTrue();
    }

    @Test
    void readersAfterItHaveGreaterTokensToo() {
        Lease lease = taken(LockMode.EXCLUSIVE);
        long seen = lease.fence() + AN_HOUR;
        assertThat(store.raise(lease, seen)).isTrue();
        assertThat(taken(LockMode.SHARED).fence()).isGreaterThan(seen);
    }

    @Test
    void releasedLeaseRaisesTheTokenToo() {
        Lease lease = taken(LockMode.EXCLUSIVE);
        store.release(lease);
        assertThat(store.raise(lease, lease.fence() + AN_HOUR)).isTrue();
        assertThat(taken(LockMode.EXCLUSIVE).fence()).isGreaterThan(lease.fence() + AN_HOUR);
    }

    /** Else it would fall as soon as the key had been idle. */
    @ParameterizedTest
    @EnumSource(
            value = LockMode.class,
            names = {"EXCLUSIVE", "SHARED"})
    void idleKeyKeepsTheTokenUntilTheClockHasCaughtUp(LockMode mode) {
        Lease lease = taken(mode);
        assertThat(store.raise(lease, lease.fence() + 24 * AN_HOUR)).isTrue();
        Lease next = taken(LockMode.EXCLUSIVE);
        store.release(next);
        long idle = redis.commands().pttl(gate());
        assertThat(idle).isGreaterThan((next.fence() - lease.fence()) / 1_000);
    }

    @Test
    void leaseThatWasOvertakenChangesNothing() {
        Lease former = taken(LockMode.EXCLUSIVE);
        redis.expire(former);
        Lease later = taken(LockMode.EXCLUSIVE);
        assertThat(store.raise(former, former.fence() + AN_HOUR)).isFalse();
        assertThat(isHeld(later)).isTrue();
        store.release(later);
        assertThat(taken(LockMode.EXCLUSIVE).fence()).isLessThan(former.fence() + AN_HOUR);
    }

    /** A replica that becomes the master may know the writer before the last. */
    @ParameterizedTest
    @EnumSource(
            value = LockMode.class,
            names = {"EXCLUSIVE", "SHARED"})
    void readerAfterAFailOverThatLostAWriterHasAGreaterToken(LockMode former) {
        store.release(taken(former));
        byte[] replicated = redis.commands().dump(gate());
        Lease lost = taken(LockMode.EXCLUSIVE);
        redis.commands().restore(gate(), replicated, RestoreArgs.Builder.ttl(0).replace());
        assertThat(taken(LockMode.SHARED).fence()).isGreaterThan(lost.fence() + 127);
    }

    /** A limit: readers beside each other have one token, and the new master takes the one that has left for present. */
    @Test
    void readerBesideOneWhoseReleaseWasLostTooHasItsToken() {
        Lease left = taken(LockMode.SHARED);
        byte[] replicated = redis.commands().dump(gate());
        byte[] readers = redis.commands().dump(gate() + ":r");
        store.release(left);
        Lease lost = taken(LockMode.EXCLUSIVE);
        redis.commands().restore(gate(), replicated, RestoreArgs.Builder.ttl(0).replace());
        redis.commands().restore(gate() + ":r", readers, RestoreArgs.Builder.ttl(0));
        assertThat(taken(LockMode.SHARED).fence()).isEqualTo(left.fence()).isLessThan(lost.fence());
    }

    @Test
    void exclusiveLeaseIsFoundThoughAnotherThreadReliesOnIt() {
        Lease lease = taken(LockMode.EXCLUSIVE);
        assertThat(store.raise(lease.as(LockMode.SHARED), lease.fence() + AN_HOUR))
                .isTrue();
        assertThat(isHeld(lease)).isFalse();
    }

    @Test
    void readerLeavesAndTheNextWriterHasAGreaterToken() {
        Lease reader = taken(LockMode.SHARED);
        Lease other = taken(LockMode.SHARED);
        long seen = reader.fence() + AN_HOUR;
        assertThat(store.raise(reader, seen)).isTrue();
        assertThat(isHeld(reader)).isFalse();
        assertThat(isHeld(other)).isTrue();
        assertThat(store.raise(reader, seen + AN_HOUR)).isFalse();
        store.release(other);
        assertThat(taken(LockMode.EXCLUSIVE).fence()).isBetween(seen + 1, seen + AN_HOUR);
    }

    /** Its token is how the writer is called. */
    @Test
    void readerThatAWriterWaitsForLeavesTheWriterItsToken() {
        Lease reader = taken(LockMode.SHARED);
        Attempt.Draining writer = (Attempt.Draining) attempt(LockMode.EXCLUSIVE);
        assertThat(store.raise(reader, reader.fence() + AN_HOUR)).isTrue();
        assertThat(isHeld(writer.lease())).isTrue();
        assertThat(store.drained(writer.lease()).complete()).isTrue();
    }

    /** Else the second one waits for the first one's transaction, or the first one is refused its next. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void readersBesideEachOtherHaveOneTokenThoughAWriterHasTriedMeanwhile(boolean expired) {
        Lease first = taken(LockMode.SHARED);
        Lease writer = triedWriter(expired);
        Lease second = taken(LockMode.SHARED);
        store.release(first);
        Lease third = taken(LockMode.SHARED);
        assertThat(List.of(second.fence(), third.fence())).containsOnly(first.fence());
        store.release(second);
        store.release(third);
        Lease alone = taken(LockMode.SHARED);
        assertThat(alone.fence()).isGreaterThan(writer.fence());
        store.release(alone);
        assertThat(taken(LockMode.EXCLUSIVE).fence()).isGreaterThan(alone.fence());
    }

    private Lease triedWriter(boolean expired) {
        Lease writer = ((Attempt.Draining) attempt(LockMode.EXCLUSIVE)).lease();
        if (expired) {
            redis.expire(writer);
        } else {
            store.release(writer);
        }
        return writer;
    }

    @Test
    void readerBesideOneThatWasRefusedHasAGreaterTokenThanWhatWasSeen() {
        Lease refused = taken(LockMode.SHARED);
        Lease refusedToo = taken(LockMode.SHARED);
        Lease staying = taken(LockMode.SHARED);
        long seen = triedWriter(false).fence();
        assertThat(store.raise(refused, seen)).isTrue();
        Lease next = taken(LockMode.SHARED);
        assertThat(next.fence()).isGreaterThan(seen);
        assertThat(store.raise(refusedToo, next.fence())).isTrue();
        assertThat(taken(LockMode.SHARED).fence()).isEqualTo(next.fence());
        assertThat(isHeld(staying)).isTrue();
    }
}
