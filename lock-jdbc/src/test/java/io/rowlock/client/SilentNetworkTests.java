package io.rowlock.client;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.Stopwatch;
import java.time.Duration;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The network is silent. */
@Order(3)
@OnEachServer
class SilentNetworkTests extends DeadlineContract {
    @ParameterizedTest
    @ValueSource(longs = {0, 1_000})
    void networkThatStallsBeforeTheAttempt(long waitMillis) throws Exception {
        connect();
        cable.cut();
        assertThat(failure(exclusive(ofMillis(waitMillis), "a"))).isInstanceOf(LockStoreException.class);
        assertThat(failure(LockRequest.shared("b").withWaitTime(ofMillis(waitMillis))))
                .isInstanceOf(LockStoreException.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1_000})
    void networkThatStallsBeforeTheFirstConnection(long waitMillis) throws Exception {
        cable.cut();
        assertThat(failure(exclusive(ofMillis(waitMillis), "a"))).isInstanceOf(LockStoreException.class);
    }

    @Test
    void networkThatStallsWhileTheKeyIsWaitedFor() throws Exception {
        LockRequest request = exclusive(ofSeconds(3), "a");
        try (HeldLock held = rival.take("a")) {
            connect("b");
            int calls = node.store.calls.get();
            Stopwatch time = Stopwatch.start();
            Other<HeldLock> waiter = starting(request);
            await().until(() -> node.store.calls.get() > calls && node.positionsInUse() == 1);
            cable.cut();
            assertThat(waiter.failure()).isInstanceOf(LockStoreException.class);
            assertInTime(time, request);
            assertThat(held.isHeld()).isTrue();
        }
    }

    @Test
    void lastOfSeveralKeysThatStalls() throws Exception {
        connect("c");
        node.store.acquiring = (request, real) -> {
            if (request.key().equals("c")) {
                cable.cut();
            }
            return real.call(request);
        };
        assertThat(failure(exclusive(ofSeconds(1), "a", "b", "c"))).isInstanceOf(LockStoreException.class);
    }

    @Test
    void writersDrainThatStalls() throws Exception {
        node.read("a").close();
        node.store.draining = (lease, real) -> {
            cable.cut();
            return real.call(lease);
        };
        assertThat(failure(exclusive(ofSeconds(1), "a"))).isInstanceOf(LockStoreException.class);
    }

    /** The one who asks hears nothing; the other must not wait for that. */
    @Test
    void stallDoesNotHoldUpThoseInLine() throws Exception {
        connect();
        cable.cut();
        LockRequest request = exclusive(ofSeconds(3), "a");
        Other<HeldLock> first = starting(request);
        Stopwatch time = Stopwatch.start();
        Other<HeldLock> second = starting(request);
        assertThat(first.failure()).isInstanceOf(LockStoreException.class);
        assertThat(second.failure()).isInstanceOf(LockStoreException.class);
        assertInTime(time, request);
    }

    @Test
    void leftoverThatCannotBeTakenBackHoldsUpTheNextNoLonger() throws Exception {
        connect();
        cable.cut();
        assertThat(failure(exclusive(Duration.ZERO, "a"))).isInstanceOf(LockStoreException.class);
        assertThat(failure(exclusive(ofSeconds(1), "a"))).isInstanceOf(LockStoreException.class);
    }
}
