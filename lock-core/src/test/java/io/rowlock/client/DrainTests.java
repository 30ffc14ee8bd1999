package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.client.lock.Use;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockLog;
import io.rowlock.store.WaitQueue.QueuePosition;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DrainTests {
    private final SteeredStore store = new SteeredStore();

    @Test
    void waiterInAQueueIsWokenHoweverLongItWouldWait() throws Exception {
        EndlessTicket ticket = new EndlessTicket();
        store.ticket = Optional.of(ticket);
        try (RowlockClient holder = client("holder");
                RowlockClient waiter = client("waiter");
                HeldLock lock = holder.acquire(LockRequest.exclusive("a"))) {
            var waiting = CompletableFuture.supplyAsync(
                    () -> waiter.acquire(LockRequest.exclusive("a").withWaitTime(Duration.ofMinutes(10))));
            ticket.entered.await();
            waiter.drain();
            assertThat(waiting)
                    .failsWithin(Duration.ofSeconds(30))
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(LockStoreException.class)
                    .withMessageContaining("the application shuts down");
            await().until(() -> ticket.closed);
            assertThat(lock.isHeld()).isTrue();
        }
    }

    @Test
    void waiterOfTheSameProcessGetsNothingThoughTheLockIsReleasedAtOnce() throws Exception {
        for (int i = 0; i < 50; i++) {
            try (RowlockClient client = client("both")) {
                HeldLock lock = client.acquire(LockRequest.exclusive("a"));
                var waiting = CompletableFuture.supplyAsync(
                        () -> client.acquire(LockRequest.exclusive("a").withWaitTime(Duration.ofMinutes(10))));
                await().pollDelay(Duration.ZERO)
                        .pollInterval(Duration.ofMillis(1))
                        .until(() -> client.admin().waiting("a") == 1);
                client.drain();
                lock.close();
                assertThat(waiting)
                        .failsWithin(Duration.ofSeconds(30))
                        .withThrowableOfType(ExecutionException.class)
                        .withCauseInstanceOf(LockStoreException.class);
            }
        }
    }

    /** The log of a program that ends may be closed, too. */
    @Test
    void logIsFlushedAndThreadsEndThoughWhatIsLeftCannotBeLogged() {
        AtomicBoolean flushed = new AtomicBoolean();
        LockLog flushing = new LockLog() {
            @Override
            public Entry granted(String strategy, Lease lease, long token, Duration waited) {
                return Entry.NONE;
            }

            @Override
            public void close() {
                flushed.set(true);
            }
        };
        RowlockClient client = RowlockClient.builder(store).log(flushing).build();
        HeldLock lock = client.acquire(LockRequest.exclusive("a"));
        store.releasing = () -> {
            throw new LockStoreException("the database does not answer", null);
        };
        FullDisk.during(
                "io.rowlock.client.lock.PendingReleases",
                null,
                () -> assertThat(catchThrowable(client::close)).hasMessage(FullDisk.MESSAGE));
        assertThat(flushed).isTrue();
        assertThat(lock.isHeld()).isFalse();
    }

    @Test
    void ticketThatCannotBeClosedKeepsNoOtherThreadFromTheStore() throws Exception {
        BrokenTicket ticket = new BrokenTicket();
        store.ticket = Optional.of(ticket);
        try (RowlockClient holder = client("holder");
                RowlockClient waiter = client("waiter")) {
            HeldLock lock = holder.acquire(LockRequest.exclusive("a"));
            AtomicReference<Thread> waiting = new AtomicReference<>();
            var first = CompletableFuture.runAsync(() -> use(waiter), task -> {
                waiting.set(new Thread(task));
                waiting.get().start();
            });
            ticket.entered.await();
            var second = CompletableFuture.runAsync(() -> use(waiter));
            await().until(() -> waiter.admin().waiting("a") == 2);
            store.ticket = Optional.empty();
            waiting.get().interrupt();
            assertThat(first)
                    .failsWithin(Duration.ofSeconds(30))
                    .withThrowableOfType(ExecutionException.class)
                    .withMessageContaining("cannot be closed");
            lock.close();
            assertThat(second).succeedsWithin(Duration.ofSeconds(30));
            assertThat(waiter.isIdle()).isTrue();
            assertThat(Use.of(waiter.locks()).queues()).isZero();
        }
    }

    private static void use(RowlockClient client) {
        client.acquire(LockRequest.exclusive("a").withWaitTime(Duration.ofMinutes(10)))
                .close();
    }

    private RowlockClient client(String owner) {
        return RowlockClient.builder(store).owner(owner).build();
    }

    /** A queue that cannot be left. */
    private static final class BrokenTicket implements QueuePosition {
        private final CountDownLatch entered = new CountDownLatch(1);
        private final CountDownLatch never = new CountDownLatch(1);

        @Override
        public void await(Duration atMost) throws InterruptedException {
            entered.countDown();
            never.await();
        }

        @Override
        public Attempt tryAcquire(LeaseRequest request) {
            return new Attempt.Busy(Optional.empty());
        }

        @Override
        public void close() {
            throw new IllegalStateException("cannot be closed");
        }
    }

    /** A queue that never moves. */
    private static final class EndlessTicket implements QueuePosition {
        private final CountDownLatch entered = new CountDownLatch(1);
        private final CountDownLatch never = new CountDownLatch(1);
        private volatile boolean closed;

        @Override
        public void await(Duration atMost) throws InterruptedException {
            entered.countDown();
            never.await();
        }

        @Override
        public Attempt tryAcquire(LeaseRequest request) {
            return new Attempt.Busy(Optional.empty());
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
