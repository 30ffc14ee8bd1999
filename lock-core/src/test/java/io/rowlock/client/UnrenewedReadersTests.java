package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.client.lock.Use;
import io.rowlock.store.memory.InMemoryLockStore;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** Readers of one key in one process, whose leases are not renewed. */
class UnrenewedReadersTests {
    /** A reader that joins it would get what the other one has left of its ttl. */
    @Test
    void readerHasALeaseOfItsOwn() throws Exception {
        LockRequest request = LockRequest.shared("a").withRenewal(false);
        try (RowlockClient client =
                        RowlockClient.builder(new InMemoryLockStore()).build();
                HeldLock first = client.acquire(request)) {
            FutureTask<HeldLock> second = new FutureTask<>(() -> client.acquire(request));
            new Thread(second, "second").start();
            try (HeldLock other = second.get()) {
                assertThat(Use.of(client.locks()).leases()).isEqualTo(2);
                assertThat(other.isHeld() && first.isHeld()).isTrue();
            }
        }
    }
}
