package io.rowlock.client;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockListener;
import io.rowlock.LockRequest;
import io.rowlock.client.Node.Logging;
import io.rowlock.client.request.Handoff;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** Nodes with a generous hand-off, and threads that wait in their lines. */
abstract class HandoffSetting extends ClientContract {
    /** Of a ttl that needs no renewal while a test runs, so that every call to the store is one the test caused. */
    static final LockRequest WRITE =
            LockRequest.exclusive("a").withTtl(ofMinutes(10)).withWaitTime(ofSeconds(20));

    static final LockRequest READ =
            LockRequest.shared("a").withTtl(ofMinutes(10)).withWaitTime(ofSeconds(20));

    /** Generous, so that only a test that means to uses it up. */
    static final Handoff PLENTY = new Handoff(100, ofMinutes(30));

    @Override
    Node newNode(String owner, LockListener... listeners) {
        return newNode(owner, PLENTY);
    }

    Node newNode(String owner, Handoff handoff) {
        return closing(new Node(Pools.locks(schema), owner, Logging.OFF, handoff));
    }

    /** A thread that asks and has come as far as the line of its process. */
    static Other<HeldLock> inLine(Node mine, LockRequest request) {
        return inLine(mine, request, () -> {});
    }

    /** @param then what the thread does when it has the lock */
    static Other<HeldLock> inLine(Node mine, LockRequest request, Runnable then) {
        Other<HeldLock> waiter = Other.does(() -> {
            HeldLock lock = mine.client.acquire(request);
            then.run();
            return lock;
        });
        waiter.awaitWaiting();
        return waiter;
    }

    HeldLock write() {
        return node.client.acquire(WRITE);
    }

    @AfterEach
    void nothingIsLeft() {
        for (Node each : List.of(node, rival)) {
            await().until(() -> each.client.leases() == 0 && each.client.queues() == 0);
            assertThat(each.client.threadLocks().threads()).isZero();
        }
    }
}
