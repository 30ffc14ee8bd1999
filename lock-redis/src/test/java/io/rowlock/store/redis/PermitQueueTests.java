package io.rowlock.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LockStore.ExpiredLease;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Waiters for permits of three processes, beside readers and writers. */
@OnRedis
class PermitQueueTests extends QueueSetting {
    PermitQueueTests(RedisServer server) {
        super(server);
    }

    private Lease permit(RedisLockStore at, String owner, int permits) {
        return ((Attempt.Granted) tryPermit(at, owner, permits)).lease();
    }

    private void assertBusy(Attempt attempt, String owner) {
        assertThat(((Attempt.Busy) attempt).holder())
                .get()
                .satisfies(holder -> assertThat(holder.owner()).isEqualTo(owner));
    }

    private void assertLives(RedisLockStore at, Lease lease) {
        assertThat(at.renew(List.of(lease), TTL)).containsEntry(lease, Renewal.RENEWED);
    }

    @Test
    void releasedPermitGoesToTheFirstWaiterForAPromise() throws InterruptedException {
        Lease held = permit(holder, "holder", 1);
        Waiter one = new Waiter(first, "first", 1);
        Waiter two = new Waiter(second, "second", 1);
        assertThat(holder.release(held)).isTrue();
        Attempt.Taken granted = one.granted();
        assertThat(granted.lease().mode()).isEqualTo(LockMode.PERMIT);
        assertThat(granted.promise())
                .get()
                .satisfies(promise -> assertThat(promise).isLessThanOrEqualTo(RedisSettings.DEFAULT.promise()));
        assertLives(first, granted.lease());
        assertBusy(two.ask(), "first");
        assertThat(first.release(granted.lease())).isTrue();
        assertThat(two.granted().lease().owner()).isEqualTo("second");
    }

    @Test
    void newcomerDoesNotOvertakeTheQueue() {
        Lease held = permit(holder, "holder", 3);
        new Waiter(first, "first", 1);
        assertBusy(tryPermit(second, "newcomer", 3), "holder");
        assertThat(holder.release(held)).isTrue();
        assertBusy(tryPermit(second, "newcomer", 3), "first");
    }

    @Test
    void writersReleaseAdmitsAsManyWaitersAsThereArePermits() throws InterruptedException {
        Lease writer = take(holder, LockMode.EXCLUSIVE, "writer").lease();
        Waiter one = new Waiter(first, "first", 2);
        Waiter two = new Waiter(second, "second", 2);
        Waiter three = new Waiter(first, "third", 2);
        Waiter reader = new Waiter(second, LockMode.SHARED, "reader");
        holder.release(writer);
        Lease left = one.granted().lease();
        assertLives(second, two.granted().lease());
        assertThat(reader.granted().promise()).as("granted with the release").isPresent();
        assertThat(three.ask()).isInstanceOf(Attempt.Busy.class);
        assertThat(first.release(left)).isTrue();
        assertThat(three.granted().lease().owner()).isEqualTo("third");
    }

    @Test
    void writerBehindWaitersForPermitsComesAfterThemAndKeepsOthersOut() throws InterruptedException {
        Lease held = permit(holder, "holder", 1);
        Waiter one = new Waiter(first, "first", 1);
        Waiter writer = new Waiter(second, LockMode.EXCLUSIVE, "writer");
        assertBusy(holder.tryAcquire(request(LockMode.SHARED, "late")), "holder");
        assertBusy(tryPermit(holder, "late", 5), "holder");
        assertThat(holder.release(held)).isTrue();
        Lease next = one.granted().lease();
        Attempt.Taken draining = writer.granted();
        assertThat(draining).isInstanceOf(Attempt.Draining.class);
        assertThat(second.drained(draining.lease()).complete()).isFalse();
        assertThat(first.release(next)).isTrue();
        assertThat(second.drained(draining.lease()).complete()).isTrue();
    }

    @Test
    void readerEntersThoughOthersWaitForPermits() {
        permit(holder, "holder", 1);
        new Waiter(first, "first", 1);
        assertThat(second.tryAcquire(request(LockMode.SHARED, "reader"))).isInstanceOf(Attempt.Granted.class);
    }

    @Test
    void waiterOfADeadProcessIsPassedOver() throws InterruptedException {
        Lease held = permit(holder, "holder", 1);
        Waiter dead = new Waiter(first, "dead", 1);
        Waiter one = new Waiter(second, "second", 1);
        dead.ticket.close();
        assertThat(holder.release(held)).isTrue();
        assertThat(one.granted().lease().owner()).isEqualTo("second");
    }

    @Test
    void expiredPermitIsReportedByTheWaiterThatTakesItsPlace() throws InterruptedException {
        Lease dead = permit(holder, "dead", 2);
        Lease held = permit(holder, "holder", 2);
        Waiter one = new Waiter(first, "first", 2);
        redis.expire(dead);
        assertThat(holder.release(held)).isTrue();
        Attempt.Taken granted = one.granted();
        assertThat(granted.former()).map(ExpiredLease::lease).contains(dead);
        assertThat(granted.former().orElseThrow().held()).isBetween(Duration.ZERO, TTL);
        assertThat(((Attempt.Taken) tryPermit(second, "second", 2)).former()).isEmpty();
        assertThat(holder.renew(List.of(dead), TTL)).containsEntry(dead, Renewal.LOST);
    }

    @Test
    void waiterThatAsksFindsThePlaceOfAnExpiredPermit() {
        Lease dead = permit(holder, "dead", 1);
        Waiter one = new Waiter(first, "first", 1);
        redis.expire(dead);
        Attempt.Taken taken = (Attempt.Taken) one.ask();
        assertThat(taken.former()).map(ExpiredLease::lease).contains(dead);
    }

    @Test
    void eachOfSeveralExpiredPermitsIsReportedOnce() {
        Lease one = permit(holder, "one", 2);
        Lease two = permit(holder, "two", 2);
        redis.expire(one);
        redis.expire(two);
        List<Lease> reported = List.of(
                ((Attempt.Taken) tryPermit(first, "first", 2))
                        .former()
                        .orElseThrow()
                        .lease(),
                ((Attempt.Taken) tryPermit(first, "first", 2))
                        .former()
                        .orElseThrow()
                        .lease());
        assertThat(reported).containsExactlyInAnyOrder(one, two);
        assertThat(tryPermit(first, "first", 2)).isInstanceOf(Attempt.Busy.class);
    }

    /** Its message was lost, or it stood still: it asks again at its place when the promise of the release has run out. */
    @Test
    void waiterWhosePromiseRanOutHasThePermitThatItAsksForThen() throws InterruptedException {
        Lease held = permit(holder, "holder", 1);
        Waiter slow = new Waiter(first, "slow", 1);
        assertThat(holder.release(held)).isTrue();
        redis.expire(promised("slow"));
        TimeUnit.NANOSECONDS.sleep(RedisSettings.DEFAULT.promise().toNanos() * 2 / 3);
        Attempt.Taken taken = (Attempt.Taken) slow.ask();
        assertBusy(tryPermit(second, "second", 1), "slow");
        assertLives(first, taken.lease());
        assertThat(taken.former()).as("nobody had what it was promised").isEmpty();
    }

    private Lease promised(String owner) {
        return holder.inspection().orElseThrow().holders(key).stream()
                .filter(lock -> lock.owner().equals(owner))
                .map(lock -> new Lease(key, lock.mode(), lock.slot(), lock.fence(), lock.owner()))
                .findFirst()
                .orElseThrow();
    }
}
