package io.rowlock.sample;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Takes this node's share of the partitions, a step a round, as nodes come and go. Thread-safe. */
@Component
@Profile("node")
class Partitions {
    private static final Logger log = LoggerFactory.getLogger(Partitions.class);
    private static final Duration TTL = Duration.ofSeconds(4);

    /** The locks by which nodes know of each other. */
    private static final String COUNT_NODES = "SELECT COUNT(*) FROM rowlock_locks_held WHERE lock_key LIKE 'node:%'";

    private final LockClient locks;
    private final JdbcClient database;
    private final LockRequest present;
    private final PartitionShare share;

    /** Whoever has it may touch the share and the next two. */
    private final ReentrantLock turn = new ReentrantLock();

    private @Nullable HeldLock presence;
    private boolean ended;

    Partitions(LockClient locks, JdbcClient database, @Value("${sample.node}") String node) {
        this.locks = locks;
        this.database = database;
        this.present = LockRequest.exclusive("node:" + node).withTtl(TTL);
        this.share = new PartitionShare(locks, TTL);
    }

    void round() {
        turn.lock();
        try {
            if (!ended) {
                bePresent();
                share.round(Math.max(1, nodes()));
            }
        } catch (LockStoreException | DataAccessException e) {
            log.debug("A round was left out", e);
        } finally {
            turn.unlock();
        }
    }

    /** A node that ends waits for its locks to be given back. */
    @EventListener(ContextClosedEvent.class)
    void end() {
        turn.lock();
        try {
            ended = true;
            share.giveAllBack();
            if (presence != null) {
                presence.close();
            }
        } catch (LockStoreException e) {
            log.debug("The others get them when they have run out", e);
        } finally {
            turn.unlock();
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
