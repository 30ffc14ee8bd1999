package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.client.request.Handoff;
import io.rowlock.store.Lease;
import io.rowlock.store.LockLog;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A lease is handed on as long as it has a token for the next writer. */
@Timeout(60)
class HandoffTokensTests {
    private static final Duration TTL = Duration.ofMinutes(10);
    private static final LockRequest WRITE = LockRequest.exclusive("a").withWaitTime(Duration.ofHours(1));
    private static final LockRequest READ = LockRequest.shared("a").withWaitTime(Duration.ofHours(1));

    private final SteeredStore store = new SteeredStore();
    private final AtomicLong clockAhead = new AtomicLong();
    private final List<Long> released = new CopyOnWriteArrayList<>();
    private final RowlockClient client = RowlockClient.builder(store)
            .ttl(TTL)
            .waitTime(Duration.ZERO)
            .handoff(new Handoff(1, Duration.ofMinutes(5)))
            .ticker(() -> System.nanoTime() + clockAhead.get())
            .log((strategy, lease, token, waited) -> new LockLog.Entry() {
                @Override
                public void released() {
                    released.add(token);
                }
            })
            .build();

    @AfterEach
    void close() {
        client.close();
    }

    /** Lets go of a lock, and returns the one of the next in line. */
    private HeldLock next(HeldLock held, LockRequest wanted) throws Exception {
        FutureTask<HeldLock> task = new FutureTask<>(() -> client.acquire(wanted));
        Thread thread = new Thread(task, "in line");
        thread.start();
        await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        held.close();
        return task.get(20, TimeUnit.SECONDS);
    }

    /** Each goOn() of the hand-off begins its own count anew, but not the tokens'. */
    @Test
    void leaseWithoutATokenLeftIsReleasedThoughNoOtherProcessWaits() throws Exception {
        store.waitedFor = () -> false;
        store.mostHandoffs = held -> 3;
        HeldLock first = client.acquire(WRITE);
        HeldLock held = first;
        for (int i = 1; i <= 3; i++) {
            held = next(held, WRITE);
            assertThat(held.fencingToken()).isEqualTo(first.fencingToken() + i);
        }
        assertThat(store.grants()).isOne();
        held = next(held, WRITE);
        assertThat(held.fencingToken()).isEqualTo(first.fencingToken() + Lease.TOKENS);
        assertThat(store.grants()).isEqualTo(2);
        held.close();
    }

    @Test
    void storeIsNotAskedForAWriterThatThereIsNoTokenFor() throws Exception {
        store.waitedFor = () -> {
            throw new AssertionError("asked");
        };
        store.mostHandoffs = held -> 0;
        HeldLock first = client.acquire(WRITE);
        HeldLock second = next(first, WRITE);
        assertThat(second.fencingToken()).isGreaterThanOrEqualTo(first.fencingToken() + Lease.TOKENS);
        second.close();
    }

    @Test
    void readersNeedNoTokenOfTheirOwn() throws Exception {
        store.mostHandoffs = held -> 0;
        HeldLock writer = client.acquire(WRITE);
        HeldLock reader = next(writer, READ);
        assertThat(reader.fencingToken()).isEqualTo(writer.fencingToken());
        HeldLock last = next(reader, WRITE);
        assertThat(last.fencingToken()).isGreaterThan(reader.fencingToken() + 1);
        last.close();
    }

    @Test
    void timeThatCountsBeganWhenTheLeaseWasGranted() throws Exception {
        store.waitedFor = () -> false;
        store.mostHandoffs = Duration::toMinutes;
        HeldLock first = client.acquire(WRITE);
        HeldLock tooSoon = next(first, WRITE);
        assertThat(tooSoon.fencingToken()).isGreaterThan(first.fencingToken() + 1);
        clockAhead.addAndGet(Duration.ofSeconds(61).toNanos());
        HeldLock second = next(tooSoon, WRITE);
        assertThat(second.fencingToken()).isEqualTo(tooSoon.fencingToken() + 1);
        HeldLock tooMany = next(second, WRITE);
        assertThat(tooMany.fencingToken()).isGreaterThan(second.fencingToken() + 1);
        tooMany.close();
    }

    /** Else a lease that is handed on for long would remember all who had it. */
    @Test
    void endOfTheLeaseConcernsOnlyItsLastHolder() throws Exception {
        store.waitedFor = () -> false;
        store.mostHandoffs = held -> 3;
        HeldLock held = client.acquire(WRITE);
        long first = held.fencingToken();
        for (int i = 1; i <= 3; i++) {
            held = next(held, WRITE);
        }
        held.close();
        assertThat(released).startsWith(first, first + 1, first + 2).containsOnlyOnce(first, first + 1, first + 2);
    }
}
