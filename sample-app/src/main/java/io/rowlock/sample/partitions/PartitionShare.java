package io.rowlock.sample.partitions;

import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.client.RowlockClient;
import io.rowlock.client.admin.LockAdmin;
import io.rowlock.sample.stage.Watch;
import java.time.Duration;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Service;

/**
 * Claims this node's fair share of the partitions, a step a round, as nodes come and go. The partitions of a dead node become
 * free with its locks. Rounds have a thread of their own: the transactions of a thread are guarded by all locks that it holds.
 */
@Service
@Profile("node")
class PartitionShare {

    static final int COUNT = 16;

    private static final Logger log = LoggerFactory.getLogger(PartitionShare.class);
    private static final Duration TTL = Duration.ofSeconds(4);
    private static final Duration BETWEEN_ROUNDS = Duration.ofMillis(500);

    private final RowlockClient locks;
    private final Watch watch;
    private final LockRequest present;
    private final List<LockRequest> all = IntStream.range(0, COUNT)
            .mapToObj(number -> locked("partition:" + number))
            .toList();
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "partitions"));

    private final NavigableMap<String, HeldLock> claimed = new TreeMap<>(); // used on that thread only, as is the next
    private Optional<HeldLock> presence = Optional.empty();

    PartitionShare(RowlockClient locks, Watch watch, @Value("${sample.node}") String node) {
        this.locks = locks;
        this.watch = watch;
        this.present = locked("node:" + node);
    }

    /** Of a strategy whose locks all nodes see, whatever the default is. */
    private static LockRequest locked(String key) {
        return LockRequest.exclusive(key).withStrategy("lease").withTtl(TTL);
    }

    @EventListener(ApplicationStartedEvent.class)
    void begin() {
        var unused = thread.scheduleWithFixedDelay(
                () -> watch.background("partitions", this::round), 0, BETWEEN_ROUNDS.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Releases all locks of this node before it ends. */
    @EventListener(ContextClosedEvent.class)
    void end() {
        thread.execute(this::leave);
        thread.shutdown();
    }

    private void round() {
        try {
            bePresent();
            share(locks.admin()
                    .page("node:", null, LockAdmin.LARGEST_PAGE)
                    .locks()
                    .size());
        } catch (RuntimeException e) {
            log.debug("A round was left out", e);
        }
    }

    private void bePresent() {
        if (presence.filter(HeldLock::isHeld).isEmpty()) {
            presence.ifPresent(HeldLock::close);
            presence = locks.tryAcquire(present);
        }
    }

    private void share(int nodes) {
        releaseLost();
        int fair = (COUNT + nodes - 1) / nodes; // fails if not even this node is seen
        if (claimed.size() > fair) {
            releaseOne();
        } else if (claimed.size() < fair) {
            locks.tryAcquireAny(all).ifPresent(lock -> claimed.put(lock.key(), lock));
        }
    }

    private void releaseOne() {
        claimed.pollLastEntry().getValue().close();
    }

    private void releaseLost() {
        claimed.values().removeIf(lock -> {
            boolean lost = !lock.isHeld();
            if (lost) {
                lock.close();
            }
            return lost;
        });
    }

    private void leave() {
        try {
            while (!claimed.isEmpty()) {
                releaseOne();
            }
            presence.ifPresent(HeldLock::close);
        } catch (LockStoreException e) {
            log.debug("The others claim them when they have expired", e);
        }
    }
}
