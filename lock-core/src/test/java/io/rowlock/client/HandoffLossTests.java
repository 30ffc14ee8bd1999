package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockEvent;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.client.request.Handoff;
import io.rowlock.store.LockLog;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A lease that is lost after one thread has handed it to the next. */
@Timeout(60)
class HandoffLossTests {
    private final SteeredStore store = new SteeredStore();
    private final List<LockEvent> events = new CopyOnWriteArrayList<>();
    private final Set<String> logged = ConcurrentHashMap.newKeySet();

    private final RowlockClient client = RowlockClient.builder(store)
            .ttl(Duration.ofMinutes(10))
            .waitTime(Duration.ofSeconds(30))
            .handoff(new Handoff(5, Duration.ofMinutes(1)))
            .listeners(List.of(events::add))
            .log((strategy, lease, token, waited) -> new LockLog.Entry() {
                @Override
                public void released() {
                    logged.add(token + " released");
                }

                @Override
                public void lost() {
                    logged.add(token + " lost");
                }
            })
            .build();

    @AfterEach
    void close() {
        client.close();
    }

    @Test
    void formerHolderIsNotNotified() throws Exception {
        LockRequest request = LockRequest.exclusive("a");
        AtomicInteger first = new AtomicInteger();
        AtomicInteger second = new AtomicInteger();
        HeldLock handedOn = client.acquire(request);
        handedOn.onLost(event -> first.incrementAndGet());
        FutureTask<HeldLock> next = new FutureTask<>(() -> {
            HeldLock lock = client.acquire(request);
            lock.onLost(event -> second.incrementAndGet());
            store.loseAll();
            assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lock.extend(Duration.ofMinutes(10)));
            lock.close();
            return lock;
        });
        HandoffRushTests.inLine(next);

        handedOn.close();

        long token = next.get().fencingToken();
        assertThat(token).isEqualTo(handedOn.fencingToken() + 1);
        await().until(() -> second.get() == 1); // listeners are called in order
        assertThat(first).hasValue(0);
        await().until(() -> events.size() == 4);
        assertThat(events)
                .extracting(LockEvent::fencingToken, LockEvent::type)
                .containsExactlyInAnyOrder(
                        tuple(handedOn.fencingToken(), LockEvent.Type.ACQUIRED),
                        tuple(handedOn.fencingToken(), LockEvent.Type.RELEASED),
                        tuple(token, LockEvent.Type.ACQUIRED),
                        tuple(token, LockEvent.Type.LOST));
        assertThat(logged).containsExactlyInAnyOrder(handedOn.fencingToken() + " released", token + " lost");
    }
}
