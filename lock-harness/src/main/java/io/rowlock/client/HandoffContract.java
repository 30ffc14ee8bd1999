package io.rowlock.client;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockEvent;
import io.rowlock.LockInterruptedException;
import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.client.request.Handoff;
import io.rowlock.store.LeaseRequest;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A lease that stays in the process: who gets it next, for how long, and when it must be given back instead. */
abstract class HandoffContract extends TwoNodes {
    /** Of a ttl that needs no renewal while a test runs, so that every call to the store is one the test caused. */
    static final LockRequest WRITE =
            LockRequest.exclusive("a").withTtl(ofMinutes(10)).withWaitTime(ofSeconds(20));

    static final LockRequest READ =
            LockRequest.shared("a").withTtl(ofMinutes(10)).withWaitTime(ofSeconds(20));

    /** Generous, so that only a test that means to uses it up. */
    static final Handoff PLENTY = new Handoff(100, ofMinutes(30));

    @Override
    Handoff handoff() {
        return PLENTY;
    }

    /** A thread that asks and has come as far as the queue of its process. */
    static Other<HeldLock> inLine(LockNode mine, LockRequest request) {
        return inLine(mine, request, () -> {});
    }

    /** @param then what the thread does when it has the lock */
    static Other<HeldLock> inLine(LockNode mine, LockRequest request, Runnable then) {
        Other<HeldLock> waiter = Other.does(() -> {
            HeldLock lock = mine.client.acquire(request);
            then.run();
            return lock;
        });
        waiter.awaitWaiting();
        return waiter;
    }

    private HeldLock write() {
        return node.client.acquire(WRITE);
    }

    @AfterEach
    void nothingIsLeft() {
        for (LockNode each : List.of(node, rival)) {
            await().until(() -> each.use().leases() == 0 && each.use().queues() == 0);
            assertThat(each.use().threads()).isZero();
        }
    }

    /** Another process that waits, in front of the line of all processes. */
    private Other<HeldLock> rivalInLine() {
        Other<HeldLock> waiter = Other.does(() -> rival.client.acquire(WRITE));
        await().until(() -> table.isWaitedFor("a"));
        return waiter;
    }

    /** The lease is given to the next in line without a word to the database. */
    private void assertHandedOn(HeldLock held, LockRequest next) throws Exception {
        Other<HeldLock> waiter = inLine(node, next);
        int calls = node.store.calls.get();
        held.close();
        try (HeldLock lock = waiter.get()) {
            assertThat(lock.fencingToken()).isEqualTo(held.fencingToken() + 1);
            assertThat(node.store.calls).hasValue(calls);
        }
    }

    /** The lease is given back, and the next in line gets another. */
    private void assertGivenBack(HeldLock held, LockRequest next) throws Exception {
        long token = held.fencingToken();
        Other<HeldLock> waiter = inLine(node, next);
        held.close();
        try (HeldLock lock = waiter.get()) {
            assertThat(lock.fencingToken()).isGreaterThan(token + 1);
            assertThat(lock.isHeld()).isTrue();
        }
    }

    private void renewalsFail() {
        node.store.renewing = (leases, real) -> {
            throw new LockStoreException("off", null);
        };
    }

    @Test
    void waiterJoinsTheQueueForAsLongAsItWaitsThoughTheHolderHasToRenewBefore() throws Exception {
        HeldLock held = write();
        Other<HeldLock> waiter = Other.does(() -> rival.client.acquire(WRITE.withWaitTime(ofMinutes(60))));
        LeaseRequest joined = await().until(() -> rival.store.joined, Objects::nonNull);
        assertThat(joined.timeLimit()).isGreaterThan(ofMinutes(30));
        held.close();
        waiter.get().close();
    }

    // ---- the same lease, one after another

    @Test
    void threadsGetTheSameLeaseInTheOrderInWhichTheyAskedWithoutAskingTheDatabase() throws Exception {
        HeldLock first = write();
        List<Other<HeldLock>> waiters = List.of(inLine(node, WRITE), inLine(node, WRITE), inLine(node, WRITE));
        int calls = node.store.calls.get();
        HeldLock held = first;
        for (Other<HeldLock> waiter : waiters) {
            assertThat(waiter.isDone()).isFalse();
            held.close();
            assertThat(waiter.get().fencingToken()).isEqualTo(held.fencingToken() + 1);
            held = waiter.get();
            assertThat(table.fence("a")).isEqualTo(first.fencingToken());
            assertThat(held.isHeld()).isTrue();
            assertThat(first.isHeld()).isFalse();
            assertThat(rival.tryTake("a")).isEmpty();
        }
        assertThat(node.store.calls).hasValue(calls);
        held.close();
        assertThat(node.store.calls).hasValue(calls + 1);
        assertThat(table.isFree("a")).isTrue();
    }

    @Test
    void nextHolderEntersItAgainAndHandsItOnOnlyOnce() throws Exception {
        HeldLock first = write();
        try (Actor actor = closing(new Actor())) {
            var waiter = actor.starts(() -> node.client.acquire(WRITE));
            await().until(() -> node.use().queues() == 1 && !waiter.isDone());
            first.close();
            HeldLock outer = waiter.get();
            Other<HeldLock> third = inLine(node, WRITE);
            int calls = node.store.calls.get();
            HeldLock inner = actor.does(() -> node.client.acquire(WRITE));
            assertThat(outer.fencingToken()).isEqualTo(first.fencingToken() + 1);
            assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
            actor.runs(inner::close);
            assertThat(outer.isHeld()).isTrue();
            assertThat(third.isDone()).isFalse();
            actor.runs(outer::close);
            third.get().close();
            assertThat(node.store.calls).hasValue(calls + 1);
        }
    }

    @Test
    void nextHolderExtendsItForItself() throws Exception {
        HeldLock first = write();
        Other<HeldLock> waiter = inLine(node, WRITE);
        first.close();
        try (HeldLock second = waiter.get()) {
            second.extend(ofMinutes(20));
            assertThat(second.remaining()).isGreaterThan(ofMinutes(15));
            assertThat(table.millisLeft("a")).isGreaterThan(ofMinutes(15).toMillis());
            assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> first.extend(ofMinutes(30)));
            second.extend(ofSeconds(30));
            assertThat(second.remaining()).as("never shorter").isGreaterThan(ofMinutes(15));
        }
    }

    // ---- when another process is next

    private void assertTheRivalIsNext(Other<HeldLock> remote, Other<HeldLock> local, HeldLock last) throws Exception {
        last.close();
        try (HeldLock lock = remote.get()) {
            assertThat(lock.fencingToken()).isGreaterThan(last.fencingToken());
            assertThat(local.isDone()).isFalse();
        }
        local.get().close();
    }

    @Test
    void processThatHasHandedOnOftenEnoughLetsAnotherGoFirst() throws Exception {
        node = newNode("few", new Handoff(1, ofMinutes(30)));
        HeldLock first = write();
        Other<HeldLock> second = inLine(node, WRITE);
        Other<HeldLock> third = inLine(node, WRITE);
        Other<HeldLock> remote = rivalInLine();
        first.close();
        HeldLock last = second.get();
        assertThat(last.fencingToken()).isEqualTo(first.fencingToken() + 1);
        assertTheRivalIsNext(remote, third, last);
    }

    @Test
    void processThatHasHandedOnLongEnoughLetsAnotherGoFirst() throws Exception {
        node = newNode("brief", new Handoff(100, ofSeconds(40)));
        HeldLock first = write();
        Other<HeldLock> second = inLine(node, WRITE);
        Other<HeldLock> third = inLine(node, WRITE);
        Other<HeldLock> remote = rivalInLine();
        first.close();
        HeldLock last = second.get();
        assertThat(last.fencingToken()).isEqualTo(first.fencingToken() + 1);
        node.pause(ofSeconds(41));
        third.thread().interrupt(); // its patience is over by the same clock
        assertThat(third.failure()).isInstanceOf(LockInterruptedException.class);
        assertTheRivalIsNext(remote, inLine(node, WRITE), last);
    }

    @Test
    void processThatSeesNoOtherWaitGoesOnUpToTenTimesAsLong() throws Exception {
        node = newNode("alone", new Handoff(2, ofMinutes(30)));
        HeldLock held = write();
        int calls = node.store.calls.get();
        for (int i = 0; i < 20; i++) {
            Other<HeldLock> next = inLine(node, WRITE);
            held.close();
            assertThat(next.get().fencingToken()).isEqualTo(held.fencingToken() + 1);
            held = next.get();
        }
        assertThat(node.store.calls).hasValue(calls);
        assertGivenBack(held, WRITE);
    }

    @Test
    void processThatCannotTellWhetherAnotherWaitsGivesTheLeaseBack() throws Exception {
        node = newNode("unsure", new Handoff(1, ofMinutes(30)));
        HeldLock first = write();
        Other<HeldLock> second = inLine(node, WRITE);
        Other<HeldLock> third = inLine(node, WRITE);
        first.close();
        node.store.waitedFor = lease -> {
            throw new IllegalStateException("whatever it is");
        };
        second.get().close();
        assertThat(third.get().fencingToken()).isGreaterThan(second.get().fencingToken() + 1);
        third.get().close();
    }

    @Test
    void processThatMustNotHandOnNeverDoes() throws Exception {
        node = newNode("none", new Handoff(0, ofMinutes(30)));
        assertGivenBack(write(), WRITE);
    }

    // ---- readers and writers

    @Test
    void writersLeaseGoesToReadersTogetherAndFromThemToTheNextWriter() throws Exception {
        HeldLock first = write();
        Other<HeldLock> one = inLine(node, READ);
        Other<HeldLock> two = inLine(node, READ);
        Other<HeldLock> writer = inLine(node, WRITE);
        int calls = node.store.calls.get();
        first.close();
        HeldLock reader = one.get();
        HeldLock other = two.get();
        assertThat(reader.mode()).isEqualTo(LockMode.SHARED);
        assertThat(rival.client.tryAcquire(READ.withWaitTime(ofMillis(1)))).isEmpty();
        Other<HeldLock> late = inLine(node, READ);
        reader.close();
        assertThat(other.isHeld()).isTrue();
        assertThat(writer.isDone() || late.isDone()).isFalse();
        other.close();
        HeldLock second = writer.get();
        assertThat(late.isDone()).as("a reader beside a writer").isFalse();
        second.close();
        HeldLock last = late.get();
        long token = first.fencingToken();
        assertThat(List.of(reader, other, second, last))
                .extracting(HeldLock::fencingToken)
                .containsExactly(token, token, token + 1, token + 1);
        assertThat(node.store.calls).hasValue(calls);
        last.close();
        assertThat(table.isFree("a")).isTrue();
    }

    @Test
    void readerOfAWritersLeaseMakesItLongerButNotShorterForTheOthers() throws Exception {
        HeldLock first = write();
        Other<HeldLock> one = inLine(node, READ);
        Other<HeldLock> two = inLine(node, READ);
        first.close();
        try (HeldLock reader = one.get();
                HeldLock other = two.get()) {
            reader.extend(ofSeconds(30));
            assertThat(other.remaining()).isGreaterThan(ofMinutes(5));
            reader.extend(ofMinutes(20));
            assertThat(other.remaining()).isGreaterThan(ofMinutes(15));
        }
    }

    @Test
    void readersLeaseIsNotHandedToAWriter() throws Exception {
        HeldLock reader = node.client.acquire(READ);
        Other<HeldLock> writer = Other.does(this::write);
        await().until(() -> table.live("a") == 2); // it drains
        reader.close();
        assertThat(writer.get().fencingToken()).isNotEqualTo(reader.fencingToken());
        writer.get().close();
    }

    /** Two processes; each holder leaves a trace that one which must not hold beside it would see. */
    @Test
    void noHolderIsInsideWithAWriter() throws Exception {
        Handoff some = new Handoff(5, ofMillis(100));
        List<LockNode> nodes = List.of(newNode("one", some), newNode("two", some));
        Inside inside = new Inside();
        List<Other<Boolean>> threads = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 8; i++) {
            LockNode mine = nodes.get(i % 2);
            int offset = i;
            threads.add(Other.does(() -> {
                for (int round = 0; round < 200; round++) {
                    boolean writes = (round * 7 + offset) % 3 == 0;
                    try (HeldLock lock = mine.client.acquire(writes ? WRITE : READ)) {
                        inside.visit(lock);
                    }
                }
                return true;
            }));
        }
        for (Other<Boolean> thread : threads) {
            assertThat(thread.get()).isTrue();
        }
        assertThat(inside.writes)
                .isEqualTo(nodes.stream()
                        .mapToLong(each -> each.events.stream()
                                .filter(event ->
                                        event.type() == LockEvent.Type.ACQUIRED && event.mode() == LockMode.EXCLUSIVE)
                                .count())
                        .sum());
        nodes.forEach(
                each -> assertThat(each.use().leases() + each.use().queues()).isZero());
        assertThat(table.isFree("a")).isTrue();
    }

    /** What the lock protects. */
    private static final class Inside {
        private final AtomicInteger readers = new AtomicInteger();
        private final AtomicInteger writers = new AtomicInteger();
        private long writes;

        void visit(HeldLock lock) {
            if (lock.mode() == LockMode.SHARED) {
                readers.incrementAndGet();
                LockSupport.parkNanos(1);
                assertThat(writers).hasValue(0);
                readers.decrementAndGet();
            } else {
                assertThat(writers.incrementAndGet()).isEqualTo(1);
                long before = writes;
                LockSupport.parkNanos(1);
                assertThat(readers).hasValue(0);
                writes = before + 1;
                writers.decrementAndGet();
            }
        }
    }

    // ---- what is not handed on

    @Test
    void leaseOfAnotherTtlIsGivenBack() throws Exception {
        assertGivenBack(write(), WRITE.withTtl(ofMinutes(9)));
        HeldLock extended = write();
        extended.extend(ofMinutes(20));
        assertGivenBack(extended, WRITE);
    }

    @Test
    void leaseWithoutRenewalIsGivenBack() throws Exception {
        assertGivenBack(node.client.acquire(WRITE.withRenewal(false)), WRITE.withRenewal(false));
        assertGivenBack(node.client.acquire(WRITE.withRenewal(false)), WRITE);
        assertGivenBack(write(), WRITE.withRenewal(false));
    }

    @Test
    void leaseThatIsToBeKeptIsNotHandedOnUntilItsMinimumIsOver() throws Exception {
        assertGivenBack(node.client.acquire(WRITE.withHoldAtLeast(ofSeconds(1))), WRITE);
        HeldLock over = node.client.acquire(WRITE.withHoldAtLeast(ofSeconds(5)));
        node.pause(ofSeconds(6));
        assertHandedOn(over, WRITE);
    }

    @Test
    void leaseThatIsLostIsNotHandedOn() throws Exception {
        HeldLock first = write();
        Other<HeldLock> waiter = inLine(node, WRITE);
        table.age("a");
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> first.extend(ofMinutes(10)));
        try (HeldLock second = waiter.get()) {
            assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
            first.close();
            assertThat(second.isHeld()).isTrue();
        }
    }

    @Test
    void leasePastItsDeadlineIsNotHandedOn() throws Exception {
        HeldLock first = write();
        renewalsFail();
        node.pause(ofMinutes(11));
        assertGivenBack(first, WRITE);
    }

    @Test
    void leaseThatWasNotRenewedForLongIsNotHandedOn() throws Exception {
        HeldLock first = write();
        renewalsFail();
        node.pause(ofMinutes(6));
        assertThat(first.isHeld()).isTrue();
        assertGivenBack(first, WRITE);
    }

    // ---- what becomes of those in line

    @Test
    void waiterWhoseTimeIsOverIsPassedBy() throws Exception {
        HeldLock first = write();
        Other<HeldLock> impatient = Other.does(() -> node.client.acquire(WRITE.withWaitTime(ofMillis(100))));
        assertThat(impatient.failure()).isInstanceOf(LockNotAcquiredException.class);
        assertHandedOn(first, WRITE);
    }

    @Test
    void waiterThatIsInterruptedIsPassedBy() throws Exception {
        HeldLock first = write();
        Other<HeldLock> interrupted = inLine(node, WRITE);
        interrupted.thread().interrupt();
        assertThat(interrupted.failure()).isInstanceOf(LockInterruptedException.class);
        assertHandedOn(first, WRITE);
    }

    @Test
    void waiterWhoseLeaseIsLostBeforeItWakesAsksAnew() throws Exception {
        HeldLock first = write();
        Other<HeldLock> waiter = inLine(node, WRITE.withWaitTime(ofHours(1)));
        AtomicInteger looks = new AtomicInteger();
        node.beforeClockRead = () -> {
            if (Thread.currentThread() == waiter.thread() && looks.incrementAndGet() == 1) {
                node.pause(ofMinutes(11));
            }
        };
        first.close();
        try (HeldLock second = waiter.get()) {
            assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
            assertThat(second.isHeld()).isTrue();
        }
    }
}
