package io.rowlock.client.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.OnLost;
import io.rowlock.client.FullDisk;
import io.rowlock.client.Insides;
import io.rowlock.client.RowlockClient;
import io.rowlock.client.SteeredStore;
import io.rowlock.client.request.Handoff;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Threads that have ended without closing their locks, and what other threads still hold or take then. */
@Timeout(60)
class AbandonedHandoffTests {
    private static final LockRequest WRITER = LockRequest.exclusive("a");
    private static final LockRequest READER = LockRequest.shared("a");

    private final SteeredStore store = new SteeredStore();
    private final RowlockClient client = RowlockClient.builder(store)
            .ttl(Duration.ofMinutes(10))
            .waitTime(Duration.ofSeconds(30))
            .handoff(new Handoff(5, Duration.ofMinutes(1)))
            .build();

    private final ProcessLocks locks = Insides.of(client);

    @AfterEach
    void close() {
        client.close();
    }

    private static <T> T ofAThreadThatEnds(Supplier<T> body) throws Exception {
        FutureTask<T> task = new FutureTask<>(body::get);
        Thread thread = new Thread(task, "ends");
        thread.start();
        thread.join();
        return task.get();
    }

    /** As the client does every ten seconds. */
    private void lookForAbandonedLocks() {
        boolean unused = locks.threadLocks.lookForAbandoned(System.nanoTime(), locks.interrupts);
    }

    private boolean isRenewed(HeldLock lock) {
        return locks.renewer.leases.stream()
                .filter(held -> held.token() == lock.fencingToken())
                .anyMatch(HeldLease::isRenewed);
    }

    @Test
    void nextHolderIsRenewedThoughTheHandleOfADeadThreadWasClosed() throws Exception {
        HeldLock abandoned = ofAThreadThatEnds(() -> client.acquire(WRITER));
        lookForAbandonedLocks();
        FutureTask<HeldLock> next = new FutureTask<>(() -> client.acquire(WRITER));
        Insides.inLine(next);
        abandoned.close();
        try (HeldLock lock = next.get()) {
            assertThat(lock.fencingToken()).as("handed on").isEqualTo(abandoned.fencingToken() + 1);
            assertThat(lock.isHeld()).isTrue();
            assertThat(isRenewed(lock)).isTrue();
        }
    }

    @Test
    void otherReaderIsRenewedThoughTheHandleOfADeadThreadWasClosed() throws Exception {
        HeldLock abandoned = ofAThreadThatEnds(() -> client.acquire(READER));
        try (HeldLock lock = client.acquire(READER)) {
            assertThat(store.grants()).as("both share a lease").isOne();
            lookForAbandonedLocks();
            abandoned.close();
            assertThat(isRenewed(lock)).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void viewOfSeveralKeysThatOnlyADeadThreadCouldCloseIsLeftToItsTtl(OnLost onLost) throws Exception {
        LockRequest several = LockRequest.exclusive("a", "b").withTtl(Duration.ofSeconds(1));
        ofAThreadThatEnds(() -> {
            client.lock(several.withOnLost(onLost)).lock();
            return true;
        });
        lookForAbandonedLocks();
        assertThat(Use.of(locks).interruptible()).isZero();
        await().atMost(Duration.ofSeconds(40)).until(() -> {
            lookForAbandonedLocks();
            return Use.of(locks).leases() == 0 && Use.of(locks).queues() == 0;
        });
    }

    @Test
    void allLocksOfADeadThreadAreFoundThoughNothingCanBeLogged() throws Exception {
        ofAThreadThatEnds(() -> {
            List.of("a", "b", "c").forEach(key -> client.lock(key).lock());
            return true;
        });
        FullDisk.during(ThreadLocks.class, this::lookForAbandonedLocks);
        assertThat(locks.renewer.leases).hasSize(3).noneMatch(HeldLease::beginRenewal);
    }
}
