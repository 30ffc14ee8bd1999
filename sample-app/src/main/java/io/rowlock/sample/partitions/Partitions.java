package io.rowlock.sample.partitions;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.sample.watch.SqlShown;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Takes this node's share of the partitions, a step a round, as nodes come and go. Rounds have a thread of their own: what
 * a thread commits is guarded by all locks that it holds, and these it holds for long. Thread-safe.
 */
@Component
@Profile("node")
class Partitions {
    private static final Logger log = LoggerFactory.getLogger(Partitions.class);
    private static final Duration TTL = Duration.ofSeconds(4);
    private static final Duration BETWEEN_ROUNDS = Duration.ofMillis(500);

    /** The locks by which nodes know of each other. */
    private static final String COUNT_NODES = "SELECT COUNT(*) FROM rowlock_locks_held WHERE lock_key LIKE 'node:%'";

    private final LockClient locks;
    private final JdbcClient database;
    private final SqlShown shown;
    private final LockRequest present;
    private final PartitionShare share;
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "partitions"));
    private @Nullable HeldLock presence; // touched on that thread only

    Partitions(LockClient locks, JdbcClient database, SqlShown shown, @Value("${sample.node}") String node) {
        this.locks = locks;
        this.database = database;
        this.shown = shown;
        this.present = LockRequest.exclusive("node:" + node).withTtl(TTL);
        this.share = new PartitionShare(locks, TTL);
    }

    @EventListener(ApplicationStartedEvent.class)
    void begin() {
        var unused = thread.scheduleWithFixedDelay(
                () -> shown.as("partitions", this::round), 0, BETWEEN_ROUNDS.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** A node that ends waits for its locks to be given back. */
    @EventListener(ContextClosedEvent.class)
    void end() {
        thread.execute(this::leave);
        thread.shutdown();
    }

    private void round() {
        try {
            bePresent();
            share.round(Math.max(1, nodes()));
        } catch (RuntimeException e) {
            log.debug("A round was left out", e);
        }
    }

    private void leave() {
        try {
            share.giveAllBack();
            if (presence != null) {
                presence.close();
            }
        } catch (LockStoreException e) {
            log.debug("The others get them when they have run out", e);
        }
    }

    private void bePresent() {
        if (presence != null && !presence.isHeld()) {
            presence.close();
            presence = null;
        }
        if (presence == null) {
            presence = locks.tryAcquire(present).orElse(null);
        }
    }

    private int nodes() {
        return database.sql(COUNT_NODES).query(Integer.class).single();
    }
}
