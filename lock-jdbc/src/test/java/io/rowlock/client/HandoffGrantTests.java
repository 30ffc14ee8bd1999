package io.rowlock.client;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockEvent;
import io.rowlock.LockLostException;
import io.rowlock.client.Node.Logging;
import io.rowlock.store.Maintenance;
import io.rowlock.store.jdbc.cleanup.TableCleanUp;
import io.rowlock.test.OnEachServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Each thread that is handed a lease has a grant of its own: for listeners, in the log and in its transactions. */
@OnEachServer
class HandoffGrantTests extends HandoffSetting {
    // ---- listeners

    @Test
    void listenersAreToldOfEachGrant() throws Exception {
        HeldLock first = write();
        Other<HeldLock> second = inLine(node, WRITE);
        Other<HeldLock> third = inLine(node, READ);
        Duration wait = ofMillis(50);
        await().pollDelay(wait).until(first::isHeld);
        first.close();
        second.get().close();
        third.get().close();
        await().until(() -> node.count(LockEvent.Type.RELEASED, "a") == 3);
        long token = first.fencingToken();
        assertThat(node.events)
                .filteredOn(event -> event.type() == LockEvent.Type.ACQUIRED)
                .extracting(LockEvent::fencingToken)
                .containsExactly(token, token + 1, token + 1);
        assertThat(node.events)
                .filteredOn(event -> event.type() == LockEvent.Type.RELEASED)
                .extracting(LockEvent::fencingToken)
                .containsExactlyInAnyOrder(token, token + 1, token + 1);
        assertThat(node.events)
                .filteredOn(event -> event.type() == LockEvent.Type.RELEASED)
                .extracting(LockEvent::mode)
                .containsExactlyInAnyOrder(first.mode(), WRITE.mode(), READ.mode());
        assertThat(node.events)
                .filteredOn(event -> event.type() == LockEvent.Type.ACQUIRED)
                .extracting(LockEvent::mode)
                .containsExactly(first.mode(), WRITE.mode(), READ.mode());
        assertThat(node.events)
                .filteredOn(event -> event.type() == LockEvent.Type.ACQUIRED)
                .filteredOn(event -> event.waited().compareTo(wait) >= 0)
                .hasSizeGreaterThanOrEqualTo(2);
    }

    @Test
    void formerHolderIsNotNotifiedOfItsLossAfterwards() throws Exception {
        AtomicInteger former = new AtomicInteger();
        AtomicInteger present = new AtomicInteger();
        HeldLock first = write();
        first.onLost(event -> former.incrementAndGet());
        Other<HeldLock> waiter = inLine(node, WRITE);
        first.close();
        HeldLock second = waiter.get();
        second.onLost(event -> present.incrementAndGet());
        table.age("a");
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> second.extend(ofMinutes(10)));
        await().until(() -> present.get() == 1);
        assertThat(former).hasValue(0);
        second.close();
    }

    // ---- transactions

    @Test
    void leaseIsHandedOnAfterTheTransactionHasCompleted() throws Exception {
        Application application = newApplication(2);
        CountDownLatch closed = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Other<Long> first = Other.does(() -> application.transaction().execute(status -> {
            HeldLock lock = write();
            application.deposit();
            lock.close();
            closed.countDown();
            awaitUninterruptibly(go);
            return lock.fencingToken();
        }));
        closed.await();
        AtomicInteger seen = new AtomicInteger(-1);
        Other<HeldLock> second = inLine(node, WRITE, () -> seen.set(table.balance()));
        assertThat(second.isDone()).isFalse();
        go.countDown();
        assertThat(second.get().fencingToken()).isEqualTo(first.get() + 1);
        assertThat(seen).as("balance").hasValue(1);
        second.get().close();
    }

    @Test
    void handedOnLeaseGuardsTheCommitsOfItsHolder() throws Exception {
        Application application = newApplication(2);
        HeldLock first = write();
        try (Actor next = closing(new Actor())) {
            var waiter = next.starts(this::write);
            await().until(() -> !waiter.isDone() && node.use().queues() == 1);
            first.close();
            HeldLock second = waiter.get();
            next.runs(() -> application.inTransaction(application::deposit));
            assertThat(table.balance()).isEqualTo(1);
            table.age("a");
            next.runs(() -> assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> application.inTransaction(application::deposit))
                    .satisfies(lost -> assertThat(lost.fencingToken()).isEqualTo(second.fencingToken())));
            assertThat(table.balance()).isEqualTo(1);
            application.inTransaction(application::deposit); // the test's thread relies on nothing
            assertThat(table.balance()).isEqualTo(2);
            second.close();
        }
    }

    @Test
    void readersOfAWritersLeaseCommitOneAfterAnother() throws Exception {
        Application application = newApplication(2);
        HeldLock first = write();
        List<Other<HeldLock>> readers = List.of(
                inLine(node, READ, () -> application.inTransaction(application::deposit)),
                inLine(node, READ, () -> application.inTransaction(application::deposit)));
        first.close();
        for (Other<HeldLock> reader : readers) {
            reader.get().close();
        }
        assertThat(table.balance()).isEqualTo(2);
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- the log

    private void log(Logging logging) {
        node = closing(new Node(Pools.locks(schema), "logged", logging, PLENTY));
    }

    private List<StoredLogRow> rows() {
        return table.sql.query("SELECT * FROM rowlock_lock_log WHERE lock_key = 'a' ORDER BY id", StoredLogRow::of);
    }

    private void awaitStatuses(String... statuses) {
        await().untilAsserted(() ->
                assertThat(rows()).extracting(StoredLogRow::status).containsExactly(statuses));
    }

    @Test
    void eachGrantOfAHandedOnLeaseHasARow() throws Exception {
        log(Logging.ASYNC);
        HeldLock first = write();
        List<Other<HeldLock>> waiters = List.of(inLine(node, WRITE), inLine(node, READ), inLine(node, READ));
        first.close();
        waiters.get(0).get().close();
        HeldLock reader = waiters.get(1).get();
        HeldLock other = waiters.get(2).get();
        awaitStatuses("RELEASED", "RELEASED", "HELD", "HELD");
        reader.close();
        other.close();
        awaitStatuses("RELEASED", "RELEASED", "RELEASED", "RELEASED");
        assertThat(rows()).extracting(StoredLogRow::mode).containsExactly("EXCLUSIVE", "EXCLUSIVE", "SHARED", "SHARED");
        long token = first.fencingToken();
        assertThat(rows()).extracting(StoredLogRow::fence).containsExactly(token, token + 1, token + 1, token + 1);
    }

    @Test
    void lossIsNotedForTheHolderOfThatTime() throws Exception {
        log(Logging.ASYNC);
        HeldLock first = write();
        Other<HeldLock> waiter = inLine(node, WRITE);
        first.close();
        HeldLock second = waiter.get();
        awaitStatuses("RELEASED", "HELD");
        table.age("a");
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> second.extend(ofMinutes(10)));
        awaitStatuses("RELEASED", "LOST");
        await().until(() -> node.count(LockEvent.Type.LOST, "a") == 1);
        assertThat(node.events)
                .filteredOn(event -> event.type() == LockEvent.Type.LOST)
                .extracting(LockEvent::fencingToken)
                .containsExactly(second.fencingToken());
        second.close();
        assertThat(node.count(LockEvent.Type.RELEASED, "a")).isEqualTo(1);
    }

    @Test
    void grantOfAHandedOnLeaseExpiresWithIt() throws Exception {
        log(Logging.ASYNC);
        HeldLock first = write();
        Other<HeldLock> waiter = inLine(node, WRITE);
        first.close();
        HeldLock second = waiter.get();
        awaitStatuses("RELEASED", "HELD");
        table.age("a");
        Node next = closing(new Node(Pools.locks(schema), "next", Logging.ASYNC, PLENTY));
        try (HeldLock third = next.client.acquire(WRITE)) {
            awaitStatuses("RELEASED", "EXPIRED", "HELD");
            assertThat(third.fencingToken()).isGreaterThan(second.fencingToken());
        }
        second.close();
    }

    @Test
    void cleanUpFindsTheLeaseOfAGrantThatWasHandedOn() throws Exception {
        log(Logging.ASYNC);
        HeldLock first = write();
        Other<HeldLock> waiter = inLine(node, WRITE);
        first.close();
        HeldLock second = waiter.get();
        awaitStatuses("RELEASED", "HELD");
        table.sql.update("UPDATE rowlock_lock_log SET acquired_at = acquired_at - INTERVAL 1 HOUR");
        Maintenance cleanUp = new TableCleanUp(node.database, Node.PREFIX, Duration.ofDays(7), Duration.ofDays(7));
        assertThat(cleanUp.cleanUp()).isEmpty();
        awaitStatuses("RELEASED", "HELD");
        table.sql.update(
                "UPDATE rowlock_lock SET expires_at = UTC_TIMESTAMP(6) - INTERVAL 1 MINUTE WHERE lock_key = 'a'");
        assertThat(cleanUp.cleanUp()).contains("log rows of expired leases: 1");
        awaitStatuses("RELEASED", "EXPIRED");
        second.close();
    }

    @Test
    void downgradeKeepsTheTokenThatWasHandedOn() throws Exception {
        log(Logging.ASYNC);
        HeldLock first = write();
        try (Actor next = closing(new Actor())) {
            var waiter = next.starts(this::write);
            await().until(() -> !waiter.isDone() && node.use().queues() == 1);
            first.close();
            HeldLock writer = waiter.get();
            HeldLock reader = next.does(() -> node.client.acquire(READ));
            next.runs(writer::close);
            awaitStatuses("RELEASED", "RELEASED", "HELD");
            long token = first.fencingToken() + 1;
            assertThat(reader.fencingToken()).isEqualTo(token);
            assertThat(rows().get(2).fence()).isEqualTo(token);
            HeldLock other = rival.client.acquire(READ);
            assertThat(other.fencingToken()).isGreaterThanOrEqualTo(token);
            other.close();
            next.runs(reader::close);
            HeldLock last = rival.take("a");
            assertThat(last.fencingToken()).isGreaterThan(other.fencingToken());
            last.close();
        }
    }

    // ---- the clock

    /** The row knows only the first token, so the next one leaves room for all that could have been handed on. */
    @Test
    void nextProcessHasAGreaterTokenThanAllThatWereHandedOnThoughTheClockWasSetBack() throws Exception {
        Node past = closing(new Node(
                Pools.locks(schema, "SET SESSION timestamp = UNIX_TIMESTAMP() - 86400"), "past", Node.Logging.OFF));
        HeldLock held = write();
        for (int i = 0; i < 3; i++) {
            Other<HeldLock> next = inLine(node, WRITE);
            held.close();
            held = next.get();
        }
        held.close();
        HeldLock reader = past.client.acquire(READ.withRenewal(false));
        assertThat(reader.fencingToken()).isGreaterThanOrEqualTo(held.fencingToken());
        reader.close();
        HeldLock writer = past.client.acquire(WRITE.withRenewal(false));
        assertThat(writer.fencingToken()).isGreaterThan(reader.fencingToken());
        writer.close();
    }
}
