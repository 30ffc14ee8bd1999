package io.rowlock.client;

import io.rowlock.LockListener;
import io.rowlock.client.request.Handoff;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Two nodes on a real server. */
abstract class TwoNodes {
    LockData table;
    LockNode node;
    LockNode rival;

    private LockBackend backend;
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    @BeforeEach
    void start(LockBackend given) {
        backend = given;
        open.push(given::close);
        table = given.data();
        node = newNode("node");
        rival = newNode("rival");
    }

    /** How often the nodes hand their leases on. */
    Handoff handoff() {
        return Handoff.DEFAULT;
    }

    LockNode newNode(String owner, LockListener... listeners) {
        return closing(backend.node(owner, handoff(), listeners));
    }

    LockNode newNode(String owner, Handoff handoff) {
        return closing(backend.node(owner, handoff));
    }

    /** A node whose readers join a lease however long the machine keeps them from doing so: usually they have a tenth of a second. */
    LockNode newNodeForReaders() {
        return newNode("readers", new Handoff(100, Duration.ofMinutes(30)));
    }

    <T extends AutoCloseable> T closing(T resource) {
        open.push(resource);
        return resource;
    }

    @AfterEach
    void stop() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }
}
