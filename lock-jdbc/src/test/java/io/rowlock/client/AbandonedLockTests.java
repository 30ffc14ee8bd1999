package io.rowlock.client;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rowlock.HeldLock;
import io.rowlock.LockEvent;
import io.rowlock.LockRequest;
import io.rowlock.test.OnEachServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.transaction.TransactionStatus;

/** Locks whose thread ended without closing them. */
@Order(9)
@OnEachServer
class AbandonedLockTests extends ClientContract {
    private static final Duration TTL = ofSeconds(2);

    /** Of a lock that is renewed: the machine may keep its process from running for a while. */
    private static final Duration KEPT = ofSeconds(5);

    private static <T> T doneByAThreadThatEnds(Callable<T> body) throws Exception {
        Other<T> other = Other.does(body);
        T result = other.get();
        other.thread().join();
        return result;
    }

    private static Lock locked(Lock lock) {
        lock.lock();
        return lock;
    }

    private Lock view(String key) {
        return view(key, TTL);
    }

    private Lock view(String key, Duration ttl) {
        return node.client.lock(LockRequest.exclusive(key).withTtl(ttl));
    }

    private void isForgotten() {
        await().atMost(ofSeconds(20)).until(() -> node.use().threads() == 0);
    }

    @Test
    void lockOfAHandleIsRenewedUntilThatIsClosed() throws Exception {
        Warnings warnings = closing(new Warnings(schema.name()));
        String key = "a-" + schema.name();
        HeldLock lock = doneByAThreadThatEnds(
                () -> node.client.acquire(LockRequest.exclusive(key).withTtl(KEPT)));
        isForgotten();
        int renewals = node.store.renewals.get();
        await().until(() -> node.store.renewals.get() > renewals + 4);
        assertThat(lock.isHeld()).isTrue();
        assertThat(rival.canTake(key)).isFalse();
        assertThat(warnings.messages())
                .filteredOn(message -> message.contains("has ended without closing"))
                .singleElement()
                .asString()
                .contains("\"" + key + "\"", "token " + lock.fencingToken(), " s ago", "renewed until");
        lock.close();
        assertThat(lock.isLost()).isFalse();
        assertThat(rival.canTake(key)).isTrue();
        assertThat(node.use().queues()).isZero();
    }

    @Test
    void lockOfAViewRunsOut() throws Exception {
        Warnings warnings = closing(new Warnings(schema.name()));
        String key = "a-" + schema.name();
        doneByAThreadThatEnds(() -> locked(view(key)));
        assertThat(rival.client
                        .tryAcquire(LockRequest.exclusive(key).withWaitTime(ofSeconds(25)))
                        .isPresent())
                .isTrue();
        isForgotten();
        await().until(() -> node.use().queues() == 0 && node.use().leases() == 0);
        assertThat(node.count(LockEvent.Type.LOST, key)).isOne();
        assertThat(warnings.messages())
                .filteredOn(message -> message.contains("has ended without closing the lock \"" + key + "\""))
                .singleElement()
                .asString()
                .contains("ends with its ttl");
    }

    @Test
    void threadsOfTheSameProcessGetTheLockOfAViewThatRanOut() throws Exception {
        doneByAThreadThatEnds(() -> locked(view("a")));
        try (HeldLock lock = node.client.acquire(LockRequest.exclusive("a").withWaitTime(ofSeconds(25)))) {
            assertThat(lock.isHeld()).isTrue();
        }
        isForgotten();
    }

    @Test
    void handleBesideAViewKeepsTheLock() throws Exception {
        HeldLock lock = doneByAThreadThatEnds(() -> {
            locked(view("a", KEPT));
            return node.client.acquire(LockRequest.exclusive("a"));
        });
        isForgotten();
        int renewals = node.store.renewals.get();
        await().until(() -> node.store.renewals.get() > renewals + 4);
        assertThat(lock.isHeld()).isTrue();
        lock.close();
        assertThat(rival.canTake("a")).isFalse();
        assertThat(rival.client.tryAcquire(LockRequest.exclusive("a").withWaitTime(ofSeconds(25))))
                .isPresent();
    }

    @Test
    void readerThatEndedTakesNothingFromTheOthersOfItsLease() throws Exception {
        LockRequest shared = LockRequest.shared("a").withTtl(KEPT);
        Lock view = node.client.lock(shared);
        HeldLock mine = node.client.acquire(shared);
        doneByAThreadThatEnds(() -> locked(view));
        await().atMost(ofSeconds(20)).until(() -> node.use().threads() == 1);
        int renewals = node.store.renewals.get();
        await().until(() -> node.store.renewals.get() > renewals + 4);
        assertThat(mine.isHeld()).isTrue();
        mine.close();
        await().until(() -> rival.canTake("a"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void lockOfAThreadThatEndedInATransactionRunsOut(boolean foundBeforeItIsClosed) throws Exception {
        Application application = newApplication(2);
        List<HeldLock> taken = new ArrayList<>();
        doneByAThreadThatEnds(() -> {
            TransactionStatus neverCompleted = application.transactions.getTransaction(null);
            taken.add(node.client.acquire(LockRequest.exclusive("a").withTtl(TTL)));
            return neverCompleted;
        });
        if (foundBeforeItIsClosed) {
            isForgotten();
        }
        taken.get(0).close();
        assertThat(rival.client.tryAcquire(LockRequest.exclusive("a").withWaitTime(ofSeconds(25))))
                .isPresent();
        isForgotten();
    }

    @Test
    void virtualThreadThatEndedHoldsNothingEither() throws Exception {
        var start = Arrays.stream(Thread.class.getMethods())
                .filter(method -> method.getName().equals("startVirtualThread"))
                .findFirst();
        assumeTrue(start.isPresent() && Runtime.version().feature() >= 21, "no virtual threads here");
        Runnable body = () -> locked(view("a"));
        ((Thread) start.get().invoke(null, body)).join();
        assertThat(rival.client.tryAcquire(LockRequest.exclusive("a").withWaitTime(ofSeconds(25))))
                .isPresent();
        isForgotten();
    }
}
