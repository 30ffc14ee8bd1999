package io.rowlock.client;

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
    static final LockRequest WRITE = HandoffContract.WRITE;
    static final LockRequest READ = HandoffContract.READ;
    static final Handoff PLENTY = HandoffContract.PLENTY;

    @Override
    Node newNode(String owner, LockListener... listeners) {
        return newNode(owner, PLENTY);
    }

    Node newNode(String owner, Handoff handoff) {
        return closing(new Node(Pools.locks(schema), owner, Logging.OFF, handoff));
    }

    /** A thread that asks and has come as far as the queue of its process. */
    static Other<HeldLock> inLine(Node mine, LockRequest request) {
        return HandoffContract.inLine(mine, request);
    }

    /** @param then what the thread does when it has the lock */
    static Other<HeldLock> inLine(Node mine, LockRequest request, Runnable then) {
        return HandoffContract.inLine(mine, request, then);
    }

    HeldLock write() {
        return node.client.acquire(WRITE);
    }

    @AfterEach
    void nothingIsLeft() {
        for (Node each : List.of(node, rival)) {
            await().until(() -> each.use().leases() == 0 && each.use().queues() == 0);
            assertThat(each.use().threads()).isZero();
        }
    }
}
