package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.store.memory.InMemoryLockStore;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A request for several keys, which waits for the last one while it has the others. */
@Timeout(120)
class SeveralKeysTests {
    private static final LockRequest BOTH = LockRequest.exclusive("a", "b").withWaitTime(Duration.ofMinutes(1));

    private final InMemoryLockStore store = new InMemoryLockStore();
    private final RowlockClient client =
            RowlockClient.builder(store).renewalInterval(Duration.ofMillis(50)).build();
    private final RowlockClient rival = RowlockClient.builder(store).build();

    @AfterEach
    void close() {
        client.close();
        rival.close();
    }

    @Test
    void keyThatWasLostMeanwhileRefusesTheRequest() throws Exception {
        HeldLock last = rival.acquire(LockRequest.exclusive("b"));
        FutureTask<HeldLock> both = new FutureTask<>(() -> client.acquire(BOTH));
        Thread thread = new Thread(both, "both");
        thread.start();
        await().until(() -> client.isLocked("a") && client.admin().waiting("b") == 1);
        store.expire("a");
        await().until(() -> client.use().leases() == 0); // a renewal has found out
        try (HeldLock taken = rival.acquire(LockRequest.exclusive("a"))) {
            last.close();
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(both::get)
                    .withCauseInstanceOf(LockLostException.class);
            assertThat(taken.isHeld()).isTrue();
        }
        await().until(() -> client.use().threads() == 0);
        rival.acquire(BOTH).close();
        client.acquire(BOTH).close();
    }
}
