package io.rowlock.client;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockEvent;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.store.LockStore.Renewal;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** How a lease is kept alive, and how its holder hears that it was not. */
abstract class RenewalContract extends TwoNodes {
    private HeldLock take(String key, Duration ttl) {
        return node.client.acquire(LockRequest.exclusive(key).withTtl(ttl));
    }

    private void awaitLost(String key) {
        await().until(() -> node.count(LockEvent.Type.LOST, key) == 1);
    }

    @Test
    void bodyLongerThanTheTtlKeepsItsLock() throws Exception {
        try (HeldLock lock = take("a", ofSeconds(3))) {
            int before = node.store.renewals.get();
            Thread.sleep(7_000); // the body: more than two ttls by the clock of the database
            assertThat(lock.isHeld()).isTrue();
            assertThat(rival.canTake("a")).isFalse();
            assertThat(node.store.renewals.get() - before).isGreaterThanOrEqualTo(3);
        }
        assertThat(node.events)
                .extracting(LockEvent::type)
                .containsOnlyOnce(LockEvent.Type.ACQUIRED, LockEvent.Type.RELEASED)
                .doesNotContain(LockEvent.Type.LOST);
    }

    @Test
    void renewalThatFindsAReleasedLeaseGoneMakesNoLossOfIt() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        node.store.renewing = (leases, real) -> {
            begun.countDown();
            await().until(() -> released.getCount() == 0);
            try {
                return real.call(leases);
            } finally {
                answered.countDown();
            }
        };
        node.store.releasing = (lease, real) -> {
            boolean done = real.call(lease);
            released.countDown();
            await().until(() -> answered.getCount() == 0);
            await().pollDelay(ofMillis(200)).until(() -> true); // until the keeper has heard the answer
            return done;
        };
        HeldLock lock = take("a", ofSeconds(3));
        begun.await();
        lock.close();
        assertThat(node.count(LockEvent.Type.RELEASED, "a")).isEqualTo(1);
        assertThat(node.count(LockEvent.Type.LOST, "a")).isZero();
    }

    @Test
    void lockWithoutRenewalIsLostWhenItsTtlIsOver() {
        List<LockEvent> told = new ArrayList<>();
        HeldLock lock = node.client.acquire(
                LockRequest.exclusive("a").withTtl(ofSeconds(1)).withRenewal(false));
        lock.onLost(told::add);
        await().until(() -> told.size() == 1);
        assertThat(lock.isHeld()).isFalse();
        assertThat(lock.remaining()).isZero();
        assertThat(node.store.renewals).hasValue(0);
        assertThat(node.count(LockEvent.Type.AT_RISK, "a")).isZero();
        assertThatThrownBy(() -> lock.ensureHeld(Duration.ZERO)).isInstanceOf(LockLostException.class);
        assertThatThrownBy(() -> lock.extend(ofSeconds(9))).isInstanceOf(LockLostException.class);
        lock.close();
        assertThat(node.count(LockEvent.Type.LOST, "a")).isEqualTo(1);
        assertThat(node.count(LockEvent.Type.RELEASED, "a")).isZero();
    }

    @Test
    void renewalOutlivesKilledConnectionsAndAMissingTable() {
        try (HeldLock lock = take("a", ofSeconds(12))) {
            table.killSessions();
            int before = node.store.renewals.get();
            await().until(() -> node.store.renewals.get() > before);
            table.hide();
            try {
                await().until(() -> node.count(LockEvent.Type.AT_RISK, "a") >= 1);
                assertThat(lock.isHeld()).isTrue();
            } finally {
                table.unhide();
            }
            await().until(() -> table.millisLeft("a") > 9_000);
            assertThat(lock.isHeld()).isTrue();
        }
        assertThat(node.count(LockEvent.Type.LOST, "a")).isZero();
    }

    @Test
    void holderHearsOfTheRiskBeforeTheLoss() {
        HeldLock lock = take("a", ofSeconds(4));
        node.store.renewing = (leases, real) -> {
            throw new LockStoreException("off", null);
        };
        awaitLost("a");
        node.store.renewing = ScriptedStore.Script.asIs();
        lock.close();
        assertThat(node.events)
                .extracting(LockEvent::type)
                .containsExactly(LockEvent.Type.ACQUIRED, LockEvent.Type.AT_RISK, LockEvent.Type.LOST);
    }

    @Test
    void renewalThatHangsDelaysNeitherTheWarningNorTheLoss() {
        CountDownLatch hang = new CountDownLatch(1);
        node.store.renewing = (leases, real) -> {
            await().until(() -> hang.getCount() == 0);
            return real.call(leases);
        };
        HeldLock lock = take("a", ofSeconds(4));
        try {
            awaitLost("a");
            assertThat(node.count(LockEvent.Type.AT_RISK, "a")).isEqualTo(1);
        } finally {
            hang.countDown();
        }
        lock.close();
    }

    @Test
    void renewalAnsweredAfterTheDeadlineNeverBringsTheLockBack() {
        HeldLock lock = take("a", ofSeconds(3));
        node.store.renewing = (leases, real) -> {
            var outcome = real.call(leases);
            node.pause(ofSeconds(3));
            return outcome;
        };
        awaitLost("a");
        assertThat(lock.isHeld()).isFalse();
        assertThat(table.isFree("a")).isFalse();
        AtomicBoolean found = new AtomicBoolean();
        node.store.releasing = (lease, real) -> {
            found.set(real.call(lease));
            return found.get();
        };
        lock.close();
        await("the renewed rest is given back").untilTrue(found);
        assertThat(table.isFree("a")).isTrue();
    }

    @Test
    void leaseThatRanOutInTheDatabaseIsLostAndNotRenewed() {
        List<LockEvent> told = new ArrayList<>();
        HeldLock lock = take("a", ofSeconds(3));
        lock.onLost(told::add);
        table.age("a");
        awaitLost("a");
        await().until(() -> told.size() == 1);
        assertThat(lock.isHeld()).isFalse();
        assertThat(table.isFree("a")).isTrue();
        List<LockEvent> late = new ArrayList<>();
        lock.onLost(late::add);
        await().until(() -> late.size() == 1);
        assertThat(told).hasSize(1);
        assertThatThrownBy(() -> node.take("a")).isInstanceOf(LockLostException.class);
        lock.close();
        node.take("a").close();
    }

    @Test
    void extensionCountsFromNowAndMakesNothingShorter() {
        try (HeldLock lock = take("a", ofSeconds(30))) {
            lock.extend(ofMinutes(2));
            assertThat(table.millisLeft("a")).isBetween(60_000L, 120_000L);
            assertThat(lock.remaining()).isBetween(ofMinutes(1), ofMinutes(2));
            lock.ensureHeld(ofMinutes(1));
            assertThatThrownBy(() -> lock.ensureHeld(ofSeconds(121))).isInstanceOf(LockLostException.class);
            lock.extend(ofSeconds(5));
            assertThat(table.millisLeft("a")).isBetween(60_000L, 120_000L);
            assertThat(lock.remaining()).isBetween(ofMinutes(1), ofMinutes(2));
            assertThat(lock.isHeld()).isTrue();
        }
    }

    @Test
    void extensionOfALockThatRanOutIsRefused() {
        HeldLock lock = take("a", ofSeconds(30));
        table.age("a");
        assertThatThrownBy(() -> lock.extend(ofMinutes(1))).isInstanceOf(LockLostException.class);
        assertThat(lock.isHeld()).isFalse();
        assertThat(table.isFree("a")).isTrue();
        lock.close();
        assertThatThrownBy(() -> lock.extend(ofMinutes(1))).isInstanceOf(LockLostException.class);
    }

    @Test
    void leaseThatIsNotRenewedIsMadeLongerAndNeverShorter() {
        try (HeldLock lock = node.client.acquire(LockRequest.exclusive("a").withRenewal(false))) {
            lock.extend(ofSeconds(5));
            assertThat(table.millisLeft("a")).isGreaterThan(10_000L);
            assertThat(lock.remaining()).isGreaterThan(ofSeconds(10));
            lock.extend(ofMinutes(2));
            assertThat(table.millisLeft("a")).isBetween(60_000L, 120_000L);
            assertThat(lock.remaining()).isBetween(ofMinutes(1), ofMinutes(2));
        }
    }

    @Test
    void extensionWithoutATtlIsForItsOwn() {
        try (HeldLock lock = node.client.acquire(
                LockRequest.exclusive("a").withTtl(ofMinutes(2)).withRenewal(false))) {
            node.pause(ofSeconds(100));
            assertThat(lock.remaining()).isLessThan(ofSeconds(21));
            lock.extend();
            assertThat(lock.remaining()).isBetween(ofMinutes(1), ofMinutes(2));
        }
        HeldLock closed = take("a", ofSeconds(30));
        closed.close();
        assertThatThrownBy(closed::extend).isInstanceOf(LockLostException.class);
    }

    @Test
    void extensionThatFailedLeavesTheLeaseAsItWas() {
        try (HeldLock lock = take("a", ofSeconds(30))) {
            AtomicInteger calls = new AtomicInteger();
            node.store.renewing = (leases, real) -> {
                if (calls.incrementAndGet() == 1) {
                    throw new LockStoreException("off", null);
                }
                return real.call(leases);
            };
            assertThatThrownBy(() -> lock.extend(ofMinutes(2))).hasMessageContaining("off");
            assertThat(lock.remaining()).isBetween(ofSeconds(10), ofSeconds(30));
        }
    }

    @Test
    void renewalThatIsDueWhileAnExtensionHangsDoesNotSpin() throws Exception {
        CountDownLatch hang = new CountDownLatch(1);
        CountDownLatch sent = new CountDownLatch(1);
        HeldLock lock = take("a", ofSeconds(30));
        node.store.renewing = (leases, real) -> {
            if (leases.get(0).key().equals("a")) {
                sent.countDown();
                await().atMost(ofSeconds(20)).until(() -> hang.getCount() == 0);
            }
            return real.call(leases);
        };
        Other<Boolean> extending = Other.does(() -> {
            lock.extend(ofMinutes(1));
            return true;
        });
        sent.await();
        AtomicReference<Thread> renewal = new AtomicReference<>();
        node.beforeClockRead = () -> {
            if (Thread.currentThread().getName().equals("rowlock-renewal")) {
                renewal.set(Thread.currentThread());
            }
        };
        HeldLock wakesTheRenewal = take("z", ofSeconds(1));
        node.pause(ofSeconds(11));
        awaitLost("z");
        Thread thread = Objects.requireNonNull(renewal.get());
        long cpu = cpuOf(thread);
        Thread.sleep(1_000); // what is measured: how much CPU time a second takes
        assertThat(cpuOf(thread) - cpu).isLessThan(ofMillis(500).toNanos());
        hang.countDown();
        assertThat(extending.get()).isTrue();
        lock.close();
        wakesTheRenewal.close();
    }

    private static long cpuOf(Thread thread) {
        return ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.getId());
    }

    @Test
    void remainingShrinksAndIsZeroAfterTheEnd() {
        HeldLock lock = node.client.acquire(LockRequest.exclusive("a").withRenewal(false));
        Duration first = lock.remaining();
        node.pause(ofSeconds(5));
        assertThat(lock.remaining()).isLessThanOrEqualTo(first.minusSeconds(5)).isPositive();
        lock.close();
        assertThat(lock.remaining()).isZero();
        assertThat(lock.isHeld()).isFalse();
    }

    @Test
    void lostLockClosesQuietlyThoughTheDatabaseIsGone() {
        HeldLock lock = node.client.acquire(LockRequest.exclusive("a").withRenewal(false));
        node.pause(ofSeconds(31));
        assertThat(lock.isHeld()).isFalse();
        node.store.releasing = (lease, real) -> {
            throw new LockStoreException("off", null);
        };
        lock.close();
        awaitLost("a");
        assertThat(node.count(LockEvent.Type.RELEASED, "a")).isZero();
    }

    @Test
    void listenersThatThrowOrBlockHarmNoLock() {
        CountDownLatch blocked = new CountDownLatch(1);
        List<LockEvent.Type> heard = new java.util.concurrent.CopyOnWriteArrayList<>();
        LockNode third = newNode(
                "third",
                event -> {
                    throw new IllegalStateException("a listener's own trouble");
                },
                event -> {
                    if (event.type() == LockEvent.Type.LOST) {
                        await().atMost(ofMinutes(1)).until(() -> blocked.getCount() == 0);
                    }
                },
                event -> heard.add(event.type()));
        try {
            List<HeldLock> locks = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                locks.add(third.client.acquire(
                        LockRequest.exclusive("k" + i).withTtl(ofSeconds(1)).withRenewal(false)));
            }
            await().until(() -> locks.stream().allMatch(HeldLock::isLost));
            HeldLock kept = third.client.acquire(LockRequest.exclusive("kept").withTtl(ofSeconds(6)));
            int before = third.store.renewals.get();
            await().until(() -> third.store.renewals.get() > before + 1);
            assertThat(kept.isHeld()).isTrue();
            kept.close();
            locks.forEach(HeldLock::close);
            assertThat(heard).as("while another listener blocks").doesNotContain(LockEvent.Type.LOST);
        } finally {
            blocked.countDown();
        }
        await().until(() ->
                heard.stream().filter(type -> type == LockEvent.Type.LOST).count() == 12);
    }

    @Test
    void manyLeasesAreRenewedByFewStatements() {
        int many = 300;
        List<HeldLock> locks = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            locks.add(take("k" + i, ofMinutes(10)));
        }
        assertThat(node.store.renewals).hasValue(0);
        List<Integer> sizes = new java.util.concurrent.CopyOnWriteArrayList<>();
        node.store.renewing = (leases, real) -> {
            sizes.add(leases.size());
            return real.call(leases);
        };
        HeldLock wakesTheRenewal = take("z", ofSeconds(1));
        node.pause(ofSeconds(201));
        await().until(() -> sizes.stream().mapToInt(Integer::intValue).sum() >= many);
        assertThat(sizes).contains(many);
        assertThat(locks).allMatch(HeldLock::isHeld);
        wakesTheRenewal.close();
    }

    @Test
    void leaseTheStoreSaysNothingOfIsAtRiskAndTriedAgain() {
        HeldLock lock = take("a", ofSeconds(6));
        AtomicInteger calls = new AtomicInteger();
        node.store.renewing = (leases, real) -> calls.incrementAndGet() == 1 ? new HashMap<>() : real.call(leases);
        await().until(() -> node.count(LockEvent.Type.AT_RISK, "a") == 1 && calls.get() >= 2);
        assertThat(lock.isHeld()).isTrue();
        assertThat(Renewal.values()).hasSize(3);
        lock.close();
    }
}
