package io.rowlock.client;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.HeldLock;
import io.rowlock.LockEvent;
import io.rowlock.LockInterruptedException;
import io.rowlock.LockLostException;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.store.UncertainOutcomeException;
import io.rowlock.store.jdbc.session.BeforeStatement;
import io.rowlock.test.OnEachServer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Processes that wait for each other's locks: in order, without asking, and whatever becomes of the line. */
@Order(10)
@OnEachServer(dependsOnServer = true)
class NamedLocksTests extends ClientContract {
    private static final int NOT_SUPPORTED = 1235;
    private static final LockRequest PATIENT = LockRequest.exclusive("a").withWaitTime(ofSeconds(20));

    /** A node that waits for the key, with its ticket in the line taken. */
    private Other<HeldLock> queueUp(Node waiter) {
        return queueUp(() -> waiter.client.acquire(PATIENT));
    }

    private Other<HeldLock> queueUp(Callable<HeldLock> acquire) {
        int behind = sessionsInLine();
        boolean isFirst = !table.isWaitedFor("a");
        Other<HeldLock> waiting = Other.does(acquire);
        await().until(() -> isFirst ? table.isWaitedFor("a") : sessionsInLine() > behind);
        return waiting;
    }

    private static Other<Boolean> closing(Other<HeldLock> waiting) {
        return Other.does(() -> {
            waiting.get().close();
            return true;
        });
    }

    private int sessionsInLine() {
        return waitingSessions().size();
    }

    private List<Long> waitingSessions() {
        return table.sessionsThatRun("SELECT GET_LOCK");
    }

    private void awaitNoPlaces(Node... nodes) {
        for (Node each : nodes) {
            await().until(() -> each.positionsInUse() == 0);
        }
    }

    @Test
    void locksAreGrantedInTheOrderInWhichNodesAskedForThem() throws Exception {
        List<Node> waiters = List.of(newNode("first"), newNode("second"), newNode("third"));
        List<String> order = new CopyOnWriteArrayList<>();
        HeldLock held = node.take("a");
        List<Other<HeldLock>> waits = new ArrayList<>();
        for (Node waiter : waiters) {
            waits.add(queueUp(waiter));
        }
        held.close();
        for (int i = 0; i < waiters.size(); i++) {
            HeldLock lock = waits.get(i).get();
            order.add(table.sql.queryForObject("SELECT owner FROM rowlock_locks_held", String.class));
            lock.close();
        }
        assertThat(order).containsExactly("first", "second", "third");
        awaitNoPlaces(node, waiters.get(0), waiters.get(1), waiters.get(2));
    }

    @Test
    void waiterAsksNothingAndIsLetThroughByTheReleaseBeforeIt() throws Exception {
        HeldLock held = node.take("a");
        Other<HeldLock> first = queueUp(rival);
        Node next = newNode("next");
        Other<HeldLock> second = queueUp(next);
        held.close();
        HeldLock lock = first.get();
        int asked = next.store.calls.get();
        await().pollDelay(ofSeconds(1)).until(() -> !second.isDone());
        assertThat(next.store.calls.get() - asked).isLessThanOrEqualTo(1);
        lock.close();
        second.get().close();
        assertThat(next.store.calls.get() - asked).isLessThanOrEqualTo(4);
    }

    @Test
    void nodeThatReleasesAndAsksAgainGoesToTheEndOfTheLine() throws Exception {
        HeldLock held = node.take("a");
        Other<HeldLock> waiting = queueUp(rival);
        held.close();
        Other<HeldLock> again = Other.does(() -> node.client.acquire(PATIENT));
        try (HeldLock lock = waiting.get()) {
            assertThat(lock.isHeld()).isTrue();
            assertThat(again.isDone()).isFalse();
        }
        again.get().close();
        awaitNoPlaces(node, rival);
    }

    @Test
    void serverThatRefusesNamedLocksOnlyCostsFairness() throws Exception {
        Node one = closing(refusing("one"));
        Node two = closing(refusing("two"));
        List<Other<Integer>> threads = new ArrayList<>();
        for (Node each : List.of(one, two, one, two)) {
            threads.add(Other.does(() -> countUp(each, 5)));
        }
        for (Other<Integer> thread : threads) {
            assertThat(thread.get()).isEqualTo(5);
        }
        assertThat(table.balance()).isEqualTo(20);
        awaitNoPlaces(one, two);
    }

    /** A server that has no named locks, as some proxies and clusters have none. */
    private Node refusing(String owner) {
        HikariDataSource pool = Pools.locks(schema);
        DataSource none = new BeforeStatement(pool, sql -> sql.contains("_LOCK("), () -> {
            throw new SQLException("This server has no named locks", "42000", NOT_SUPPORTED);
        });
        return new Node(pool, none, owner, Node.Logging.OFF);
    }

    /** Unprotected, updates get lost. */
    private int countUp(Node by, int times) {
        for (int i = 0; i < times; i++) {
            try (HeldLock lock = by.client.acquire(PATIENT)) {
                int balance = table.balance();
                table.sql.update("UPDATE account SET balance = ? WHERE id = 1", balance + (lock.isHeld() ? 1 : 0));
            }
        }
        return times;
    }

    @Test
    void killedSessionInLineOnlyCostsItsPlace() throws Exception {
        HeldLock held = node.take("a");
        Other<HeldLock> first = queueUp(rival);
        Node next = newNode("next");
        Other<HeldLock> second = queueUp(next);
        waitingSessions().forEach(id -> table.sql.execute("KILL " + id));
        held.close();
        List<Other<Boolean>> whoeverComesFirst = List.of(closing(first), closing(second));
        for (Other<Boolean> waiter : whoeverComesFirst) {
            assertThat(waiter.get()).isTrue();
        }
        assertThat(table.isFree("a")).isTrue();
        awaitNoPlaces(node, rival, next);
    }

    @Test
    void heldLockWhosePlaceIsKilledIsReleasedAllTheSame() throws Exception {
        HeldLock held = node.take("a");
        Other<HeldLock> first = queueUp(rival);
        held.close();
        HeldLock lock = first.get();
        table.sql.execute("KILL " + table.sessionInFrontOfTheLine("a"));
        lock.close();
        assertThat(table.isFree("a")).isTrue();
        awaitNoPlaces(node, rival);
    }

    @Test
    void releaseWhoseAnswerIsLostIsAnOutageAndNoLoss() throws Exception {
        Node far = failingToRelease("far", new SQLException("The answer was lost", "08S01"));
        HeldLock held = node.take("a");
        Other<HeldLock> waiting = queueUp(far);
        held.close();
        HeldLock lock = waiting.get();
        assertThatExceptionOfType(UncertainOutcomeException.class).isThrownBy(lock::close);
        assertThat(table.isFree("a")).isTrue();
        assertThat(far.count(LockEvent.Type.LOST, "a")).isZero();
        awaitNoPlaces(node, far);
    }

    /** What the server has rolled back has not released the lease either. */
    @Test
    void releaseThatIsRolledBackTellsThatTheLeaseWasLost() throws Exception {
        Node far = failingToRelease("far", new SQLException("Deadlock found", "40001", 1213));
        HeldLock held = node.take("a");
        Other<HeldLock> waiting = queueUp(far);
        held.close();
        HeldLock lock = waiting.get();
        table.age("a");
        HeldLock successor = node.take("a");
        lock.close();
        assertThat(successor.isHeld()).isTrue();
        await().until(() -> far.count(LockEvent.Type.LOST, "a") == 1);
        successor.close();
        awaitNoPlaces(node, far);
    }

    private Node failingToRelease(String owner, SQLException failure) {
        HikariDataSource pool = Pools.locks(schema);
        return closing(new Node(pool, new FailingReleases(pool, failure), owner, Node.Logging.OFF));
    }

    @Test
    void moreKeysThanPlacesAreWaitedForAllTheSame() throws Exception {
        List<HeldLock> held = new ArrayList<>();
        List<Other<HeldLock>> waits = new ArrayList<>();
        for (int i = 0; i < Node.TICKETS + 2; i++) {
            String key = "many-" + i;
            held.add(node.take(key));
            waits.add(Other.does(
                    () -> rival.client.acquire(LockRequest.exclusive(key).withWaitTime(ofSeconds(20)))));
        }
        await().until(() -> rival.positionsInUse() == Node.TICKETS);
        held.forEach(HeldLock::close);
        for (Other<HeldLock> wait : waits) {
            wait.get().close();
        }
        awaitNoPlaces(node, rival);
    }

    @Test
    void interruptedWaiterLeavesTheLineAtOnce() throws Exception {
        HeldLock held = node.take("a");
        Other<HeldLock> first = queueUp(rival);
        Node next = newNode("next");
        Other<HeldLock> second = queueUp(next);
        first.thread().interrupt();
        second.thread().interrupt();
        assertThat(first.failure()).isInstanceOf(LockInterruptedException.class);
        assertThat(second.failure()).isInstanceOf(LockInterruptedException.class);
        awaitNoPlaces(rival, next);
        await().until(() -> sessionsInLine() == 0);
        held.close();
        assertThat(next.canTake("a")).isTrue();
    }

    @Test
    void waiterWhoseTimeIsOverLeavesTheLine() throws Exception {
        HeldLock held = node.take("a");
        Other<HeldLock> first = queueUp(rival);
        Node next = newNode("next");
        LockRequest impatient = LockRequest.exclusive("a").withWaitTime(ofMillis(300));
        assertThatExceptionOfType(LockNotAcquiredException.class)
                .isThrownBy(() -> next.client.acquire(impatient))
                .satisfies(busy -> assertThat(busy.holder()).contains("node"));
        awaitNoPlaces(next);
        held.close();
        first.get().close();
    }

    /** As after a pause: the holder has its ticket still, but its lease has run out. */
    @Test
    void lineBehindAHolderThatStandsStillGoesOnWhenItsLeaseRunsOut() throws Exception {
        HeldLock held = node.take("a");
        Other<HeldLock> first = queueUp(rival);
        held.close();
        HeldLock still = first.get();
        assertThat(rival.positionsInUse()).isEqualTo(1);
        Node next = newNode("next");
        Other<HeldLock> second = queueUp(next);
        table.age("a");
        second.get().close();
        still.close();
        awaitNoPlaces(rival, next);
    }

    @Test
    void lostLeaseLeavesTheLine() throws Exception {
        HeldLock held = node.take("a");
        Other<HeldLock> first = queueUp(rival);
        held.close();
        HeldLock lost = first.get();
        table.age("a");
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lost.extend(ofSeconds(30)));
        awaitNoPlaces(rival);
        lost.close();
    }

    @Test
    void readersInLineAreLetInTogetherAndTheWriterBehindThemAfterwards() throws Exception {
        HeldLock held = node.take("a");
        Node readers = newNode("readers");
        Other<HeldLock> reader = queueUp(() -> readers.read("a"));
        Other<HeldLock> writer = queueUp(rival);
        held.close();
        HeldLock reading = reader.get();
        await().until(() -> readers.positionsInUse() == 0);
        assertThat(writer.isDone()).isFalse();
        reading.close();
        writer.get().close();
    }
}
