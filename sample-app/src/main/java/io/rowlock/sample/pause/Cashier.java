package io.rowlock.sample.pause;

import io.rowlock.sample.node.Outbox;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/** Counts money, which takes a while, and says when he begins. */
@Component
@Profile("node")
class Cashier {
    static final String COUNTS = "cashier counts";

    private static final Duration A_WHILE = Duration.ofMillis(700);

    private final Outbox outbox;

    Cashier(Outbox outbox) {
        this.outbox = outbox;
    }

    void count(long cents) {
        outbox.happened(COUNTS, Map.of("cents", cents));
        LockSupport.parkNanos(A_WHILE.toNanos());
    }
}
