package io.rowlock.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.KillArgs;
import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore.Downgrade;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.store.WaitQueue.QueuePosition;
import io.rowlock.test.Stopwatch;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Waiters of three processes, and what becomes of the key they wait for. */
@OnRedis
class RedisPositionTests extends QueueSetting {
    RedisPositionTests(RedisServer server) {
        super(server);
    }

    @Test
    void ticketOfAFreeKeyWaitsForNothingAndTakesIt() throws InterruptedException {
        LeaseRequest request = request(LockMode.EXCLUSIVE, "first");
        QueuePosition ticket = first.queue().join(request).orElseThrow();
        Stopwatch time = Stopwatch.start();
        ticket.await(LONG);
        assertThat(time.taken()).isLessThan(Duration.ofSeconds(5));
        Attempt.Taken taken = (Attempt.Taken) ticket.tryAcquire(request);
        assertThat(taken.promise()).isEmpty();
        ticket.close();
        assertThat(first.renew(List.of(taken.lease()), TTL)).containsValue(Renewal.RENEWED);
        assertThat(RedisInsides.waiting(first)).isZero();
    }

    @Test
    void releaseGrantsTheKeyToTheFirstOfTheQueueForAPromise() throws InterruptedException {
        Lease held = take(holder, LockMode.EXCLUSIVE, "holder").lease();
        Waiter one = new Waiter(first, LockMode.EXCLUSIVE, "first");
        Waiter two = new Waiter(second, LockMode.EXCLUSIVE, "second");
        assertThat(holder.queue().isWaitedFor(held)).isTrue();
        assertThat(holder.release(held)).isTrue();

        assertThat(holder.inspection().orElseThrow().holders(key))
                .singleElement()
                .satisfies(lock -> assertThat(lock.owner()).isEqualTo("first"));
        Attempt.Taken granted = one.granted();
        assertThat(granted.promise())
                .get()
                .satisfies(promise -> assertThat(promise).isLessThanOrEqualTo(RedisSettings.DEFAULT.promise()));
        assertThat(granted.lease().fence()).isGreaterThan(held.fence());
        assertThat(first.renew(List.of(granted.lease()), TTL)).containsValue(Renewal.RENEWED);
        one.ticket.close();
        assertThat(two.ask()).isInstanceOf(Attempt.Busy.class);
        assertThat(first.release(granted.lease())).isTrue();
        assertThat(two.granted().lease().fence()).isGreaterThan(granted.lease().fence());
    }

    @Test
    void readersBehindEachOtherAreGrantedTogetherAndTheWriterBehindThemDrainsThem() throws InterruptedException {
        Lease held = take(holder, LockMode.EXCLUSIVE, "holder").lease();
        Waiter one = new Waiter(first, LockMode.SHARED, "first");
        Waiter two = new Waiter(second, LockMode.SHARED, "second");
        Waiter writer = new Waiter(holder, LockMode.EXCLUSIVE, "writer");
        holder.release(held);
        Lease reader = one.granted().lease();
        Lease other = two.granted().lease();
        assertThat(List.of(reader, other)).extracting(Lease::mode).containsOnly(LockMode.SHARED);
        assertThat(reader.fence()).isGreaterThan(held.fence());

        Attempt.Taken draining = writer.granted();
        assertThat(draining).isInstanceOf(Attempt.Draining.class);
        assertThat(holder.drained(draining.lease()).complete()).isFalse();
        assertThat(first.release(reader)).isTrue();
        assertThat(second.release(other)).isTrue();
        assertThat(holder.drained(draining.lease()).complete()).isTrue();
    }

    @Test
    void writerThatFollowsAnotherBeforeTheReadersHaveLeftWaitsForThem() throws InterruptedException {
        Lease reader = take(holder, LockMode.SHARED, "reader").lease();
        Lease writer = take(first, LockMode.EXCLUSIVE, "first").lease();
        Waiter next = new Waiter(second, LockMode.EXCLUSIVE, "second");
        assertThat(first.release(writer)).isTrue();
        Attempt.Taken draining = next.granted();
        assertThat(draining).isInstanceOf(Attempt.Draining.class);
        assertThat(holder.release(reader)).isTrue();
        assertThat(second.drained(draining.lease()).complete()).isTrue();
    }

    /** The queue has their places still, as if their processes had not asked for a while. */
    @Test
    void waitersOfDeadProcessesArePassedOver() throws InterruptedException {
        Lease held = take(holder, LockMode.EXCLUSIVE, "holder").lease();
        List<Waiter> dead =
                List.of(new Waiter(first, LockMode.EXCLUSIVE, "dead"), new Waiter(first, LockMode.EXCLUSIVE, "gone"));
        Waiter next = new Waiter(second, LockMode.EXCLUSIVE, "second");
        String waiters = new LockKeys(RedisSettings.DEFAULT.keyPrefix()).gate(key) + ":w";
        redis.commands().hset(waiters, Long.toString(dead.get(0).nonce()), "1 x 0 3000000 c dead");
        redis.commands().hdel(waiters, Long.toString(dead.get(1).nonce()));
        assertThat(holder.release(held)).isTrue();
        assertThat(next.granted().promise()).as("granted with the release").isPresent();
        assertThat(redis.commands().hlen(waiters)).isZero();
    }

    @Test
    void waiterThatLeavesIsPassedOverAndHandsOnWhatItWasGranted() throws InterruptedException {
        Lease held = take(holder, LockMode.EXCLUSIVE, "holder").lease();
        Waiter one = new Waiter(first, LockMode.EXCLUSIVE, "first");
        Waiter two = new Waiter(second, LockMode.EXCLUSIVE, "second");
        holder.release(held);
        one.ticket.close();
        assertThat(two.granted().lease().owner()).isEqualTo("second");
        one.ticket.close();
    }

    /** Else a release of another process that overtakes it grants the key to a waiter that has gone. */
    @Test
    void waiterThatGivesUpHasLeftTheQueueWhenItReturns(RedisServer server) throws Exception {
        try (SwallowingProxy proxy = new SwallowingProxy(server.port());
                TestRedis far = new TestRedis(proxy.uri())) {
            Lease held = take(holder, LockMode.EXCLUSIVE, "holder").lease();
            Waiter one = new Waiter(far.store(), LockMode.EXCLUSIVE, "first");
            proxy.delay(Duration.ofMillis(20));
            one.ticket.close();
            assertThat(holder.release(held)).isTrue();
            assertThat(holder.inspection().orElseThrow().holders(key)).isEmpty();
        }
    }

    @Test
    void deadWaiterKeepsTheKeyForNoLongerThanThePromise() {
        Lease held = take(holder, LockMode.EXCLUSIVE, "holder").lease();
        new Waiter(first, LockMode.EXCLUSIVE, "dead");
        holder.release(held);
        assertThat(holder.inspection().orElseThrow().holder(key, LockMode.EXCLUSIVE))
                .get()
                .satisfies(dead -> assertThat(dead.remaining()).isLessThanOrEqualTo(RedisSettings.DEFAULT.promise()));
    }

    /** The process stood still for longer than the promise, and another had the key meanwhile. */
    @Test
    void messageOfAnEarlierGrantIsNoGrant() throws Exception {
        Lease held = take(holder, LockMode.EXCLUSIVE, "holder").lease();
        Waiter paused = new Waiter(first, LockMode.EXCLUSIVE, "paused");
        holder.release(held);
        Lease promised = holder.inspection().orElseThrow().holders(key).stream()
                .map(lock -> new Lease(key, lock.mode(), lock.slot(), lock.fence(), lock.owner()))
                .findFirst()
                .orElseThrow();
        redis.expire(promised);
        Lease taken = take(second, LockMode.EXCLUSIVE, "second").lease();
        TimeUnit.NANOSECONDS.sleep(RedisSettings.DEFAULT.promise().toNanos() * 2 / 3);
        assertThat(paused.ask()).isInstanceOf(Attempt.Busy.class);
        assertThat(paused.ask()).isInstanceOf(Attempt.Busy.class);
        assertThat(second.release(taken)).isTrue();
        assertThat(paused.granted().lease().fence()).isGreaterThan(taken.fence());
    }

    /** As {@link #messageOfAnEarlierGrantIsNoGrant}, and the server's clock was set back since. */
    @Test
    void messageOfAnEarlierGrantIsNoGrantThoughTheClockWasSetBack() throws Exception {
        Lease held = take(holder, LockMode.EXCLUSIVE, "holder").lease();
        Waiter paused = new Waiter(first, LockMode.EXCLUSIVE, "paused");
        long then = redis.commands().time().stream()
                        .mapToLong(Long::parseLong)
                        .findFirst()
                        .orElseThrow()
                + 3_600;
        String granted = "%d %d 0 %d000000 ".formatted(paused.nonce(), held.fence() - 128, then);
        redis.commands().pubsubChannels().forEach(channel -> redis.commands().publish(channel, granted));
        TimeUnit.NANOSECONDS.sleep(RedisSettings.DEFAULT.promise().toNanos() * 2 / 3);
        assertThat(paused.ask()).isInstanceOf(Attempt.Busy.class);
        assertThat(paused.ask()).isInstanceOf(Attempt.Busy.class);
    }

    /** The process stood still for longer than the promise, and nobody has had the key since. */
    @Test
    void waiterWhosePromiseRanOutReportsNoExpiredLease() throws Exception {
        Lease held = take(holder, LockMode.EXCLUSIVE, "holder").lease();
        Waiter paused = new Waiter(first, LockMode.EXCLUSIVE, "paused");
        holder.release(held);
        redis.expire(new Lease(key, LockMode.EXCLUSIVE, 0, 0, "paused"));
        TimeUnit.NANOSECONDS.sleep(RedisSettings.DEFAULT.promise().toNanos() * 2 / 3);
        Attempt.Taken taken = (Attempt.Taken) paused.ask();
        assertThat(taken.former()).isEmpty();
        assertThat(first.renew(List.of(taken.lease()), TTL)).containsValue(Renewal.RENEWED);
    }

    /** It came later than its ttl, so the waiter releases it in the background and asks again at once. */
    @Test
    void leaseThatCameTooLateIsNotGrantedAgain() {
        LeaseRequest request = request(LockMode.EXCLUSIVE, "first");
        QueuePosition ticket = first.queue().join(request).orElseThrow();
        Lease late = ((Attempt.Taken) ticket.tryAcquire(request)).lease();
        assertThat(ticket.tryAcquire(request(LockMode.EXCLUSIVE, "first"))).isInstanceOf(Attempt.Busy.class);
        assertThat(first.release(late)).isTrue();
        Lease next = ((Attempt.Taken) ticket.tryAcquire(request(LockMode.EXCLUSIVE, "first"))).lease();
        assertThat(next.fence()).isGreaterThan(late.fence());
        ticket.close();
        assertThat(first.release(next)).isTrue();
        assertThat(RedisInsides.waiting(first)).isZero();
    }

    @Test
    void lostMessageCostsAHeartbeat() throws InterruptedException {
        Lease held = take(holder, LockMode.EXCLUSIVE, "holder").lease();
        Waiter waiter = new Waiter(first, LockMode.EXCLUSIVE, "first");
        redis.commands().clientKill(KillArgs.Builder.typePubsub());
        holder.release(held);
        Stopwatch time = Stopwatch.start();
        assertThat(waiter.granted().lease().owner()).isEqualTo("first");
        assertThat(time.taken()).isLessThan(Duration.ofSeconds(10));
    }

    @Test
    void scriptsThatTheServerHasLostAreSentAgain() {
        Lease held = take(holder, LockMode.EXCLUSIVE, "holder").lease();
        redis.commands().scriptFlush();
        assertThat(holder.renew(List.of(held), TTL)).containsEntry(held, Renewal.RENEWED);
        redis.commands().scriptFlush();
        assertThat(holder.release(held)).isTrue();
    }

    @Test
    void placeIsGivenUpThoughTheServerHasLostTheScript() throws InterruptedException {
        Lease held = take(holder, LockMode.EXCLUSIVE, "holder").lease();
        Waiter waiter = new Waiter(first, LockMode.EXCLUSIVE, "first");
        redis.commands().scriptFlush();
        waiter.ticket.close();
        String queue = new LockKeys(RedisSettings.DEFAULT.keyPrefix()).gate(key) + ":q";
        long end = System.nanoTime() + LONG.toNanos();
        while (redis.commands().zcard(queue) > 0) {
            assertThat(System.nanoTime() - end).isNegative();
            TimeUnit.MILLISECONDS.sleep(5);
        }
        assertThat(holder.release(held)).isTrue();
    }

    @Test
    void tokensAreExactBeyondFourteenDigits() {
        Lease one = take(holder, LockMode.EXCLUSIVE, "holder").lease();
        assertThat(one.fence()).isGreaterThan(1L << 50);
        String gate = new LockKeys(RedisSettings.DEFAULT.keyPrefix()).gate(key);
        assertThat(redis.commands().hget(gate, "f")).isEqualTo(String.valueOf(one.fence()));
        holder.release(one);
        long far = (1L << 52) + 1;
        redis.commands().hset(gate, "f", String.valueOf(far));
        Lease two = take(holder, LockMode.EXCLUSIVE, "holder").lease();
        assertThat(two.fence()).isEqualTo(far + 128);
        assertThat(holder.release(two)).isTrue();
        Lease reader = take(holder, LockMode.SHARED, "holder").lease();
        assertThat(reader.fence()).isEqualTo(far + 128 + 127);
    }

    @Test
    void tokensAreExactInEveryScript() throws InterruptedException {
        String gate = new LockKeys(RedisSettings.DEFAULT.keyPrefix()).gate(key);
        redis.commands().hset(gate, "f", String.valueOf((1L << 52) + 1));
        Lease lease = take(holder, LockMode.EXCLUSIVE, "holder").lease();
        Lease neighbour = new Lease(key, LockMode.EXCLUSIVE, 0, lease.fence() + 1, "holder");
        assertThat(holder.renew(List.of(neighbour, lease), TTL))
                .containsEntry(neighbour, Renewal.LOST)
                .containsEntry(lease, Renewal.RENEWED);
        assertThat(holder.release(neighbour, TTL)).isFalse();
        assertThat(holder.drained(neighbour).complete()).isFalse();
        assertThat(holder.drained(lease).complete()).isTrue();
        assertThat(holder.release(neighbour)).isFalse();
        assertThat(holder.inspection().orElseThrow().holders(key))
                .singleElement()
                .satisfies(lock -> assertThat(lock.fence()).isEqualTo(lease.fence()));
        LeaseRequest shared = request(LockMode.SHARED, "holder");
        assertThat(holder.downgrade(neighbour, neighbour.fence(), shared)).isInstanceOf(Downgrade.Lost.class);
        long token = lease.fence() + 7;
        Lease reader = ((Downgrade.Shared) holder.downgrade(lease, token, shared)).lease();
        assertThat(holder.inspection().orElseThrow().holders(key))
                .singleElement()
                .satisfies(lock -> assertThat(lock.fence()).isEqualTo(reader.fence()));
        redis.expire(reader);
        Lease writer = take(second, LockMode.EXCLUSIVE, "writer").lease();
        assertThat(second.drained(writer).expired())
                .singleElement()
                .satisfies(dead -> assertThat(dead.lease()).isEqualTo(reader));
        Waiter waiter = new Waiter(first, LockMode.EXCLUSIVE, "first");
        assertThat(second.release(writer)).isTrue();
        Attempt.Taken announced = waiter.granted();
        assertThat(announced.promise()).as("by a message").isPresent();
        assertThat(announced.lease().fence()).isEqualTo(writer.fence() + 128);
    }

    /** Its commit would be refused by what another reader commits, though it holds its lock. */
    @Test
    void downgradedReaderHasTheTokenOfTheReadersBesideIt() {
        Lease writer = take(holder, LockMode.EXCLUSIVE, "holder").lease();
        Downgrade reader = holder.downgrade(writer, writer.fence() + 3, request(LockMode.SHARED, "holder"));
        Lease beside = take(second, LockMode.SHARED, "second").lease();
        assertThat(((Downgrade.Shared) reader).lease().fence()).isEqualTo(beside.fence());
    }

    /** Its place is forgotten only when it has missed several heartbeats, however long these are. */
    @Test
    void queueLastsAsLongAsItsPlacesWhereHeartbeatsAreLong() {
        Duration heartbeat = Duration.ofMinutes(10);
        RedisSettings usual = RedisSettings.DEFAULT;
        RedisLockStore patient = redis.store(new RedisSettings(
                usual.keyPrefix(),
                usual.commandTimeout(),
                usual.connectTimeout(),
                usual.keepIdle(),
                heartbeat.multipliedBy(2),
                heartbeat,
                0,
                Duration.ofSeconds(1)));
        Lease one = ((Attempt.Taken) tryPermit(holder, "one", 3)).lease();
        tryPermit(holder, "two", 3);
        new Waiter(patient, "patient", 1);
        new Waiter(first, "hasty", 1);
        assertQueueLastsFor(heartbeat.multipliedBy(3));
        assertThat(holder.release(one)).isTrue();
        assertQueueLastsFor(heartbeat.multipliedBy(3));
    }

    private void assertQueueLastsFor(Duration least) {
        String gate = new LockKeys(RedisSettings.DEFAULT.keyPrefix()).gate(key);
        assertThat(redis.commands().zcard(gate + ":q")).isEqualTo(2);
        assertThat(redis.commands().pttl(gate + ":q")).isGreaterThan(least.toMillis());
        assertThat(redis.commands().pttl(gate + ":w")).isGreaterThan(least.toMillis());
    }

    @Test
    void keyOutlivesALongReader() {
        Lease reader = take(holder, LockMode.SHARED, "holder").lease();
        String gate = new LockKeys(RedisSettings.DEFAULT.keyPrefix()).gate(key);
        assertThat(redis.commands().pttl(gate)).isGreaterThan(TTL.toMillis());
        assertThat(redis.commands().pttl(gate + ":r")).isGreaterThan(TTL.toMillis());
        Duration longTime = Duration.ofHours(5);
        assertThat(holder.renew(List.of(reader), longTime)).containsEntry(reader, Renewal.RENEWED);
        assertThat(redis.commands().pttl(gate)).isGreaterThan(longTime.toMillis());
        assertThat(redis.commands().pttl(gate + ":r")).isGreaterThan(longTime.toMillis());
        take(second, LockMode.SHARED, "second");
        assertThat(redis.commands().pttl(gate + ":r")).isGreaterThan(longTime.toMillis());
    }
}
