package io.rowlock.sample.jobs;

import io.rowlock.sample.node.Outbox;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/** Carries a job to the worker, which takes a while, and reports when it leaves. */
@Component
@Profile("node")
class Courier {
    static final String LEAVES = "courier leaves";

    private static final Duration A_WHILE = Duration.ofMillis(400);

    private final Outbox outbox;

    Courier(Outbox outbox) {
        this.outbox = outbox;
    }

    void carry() {
        outbox.happened(LEAVES, Map.of());
        LockSupport.parkNanos(A_WHILE.toNanos());
    }
}
