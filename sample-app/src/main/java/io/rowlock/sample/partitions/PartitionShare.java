package io.rowlock.sample.partitions;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import java.time.Duration;
import java.util.List;
import java.util.NavigableMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * The partitions of one worker. A round takes one step towards its fair share: it claims a free partition, or
 * releases one. The partitions of a dead worker become free with its locks. Thread-safe, but rounds are held on one thread.
 */
final class PartitionShare {
    static final int PARTITIONS = 16;
    private static final String PREFIX = "partition:";

    private final LockClient locks;
    private final List<LockRequest> all;
    private final NavigableMap<Integer, HeldLock> claimed = new TreeMap<>();

    /** @param ttl how long a dead worker keeps its partitions */
    PartitionShare(LockClient locks, Duration ttl) {
        this.locks = locks;
        this.all = IntStream.range(0, PARTITIONS)
                .mapToObj(number -> LockRequest.exclusive(PREFIX + number).withTtl(ttl))
                .toList();
    }

    static int numberOf(String key) {
        return Integer.parseInt(key.substring(PREFIX.length()));
    }

    /** @param workers how many there are to share with, this one included */
    void round(int workers) {
        leaveWhatIsLost();
        int fair = (PARTITIONS + workers - 1) / workers;
        int have = claimed().size();
        if (have > fair) {
            giveOneBack();
        } else if (have < fair) {
            locks.tryAcquireAny(all).ifPresent(this::keep);
        }
    }

    private synchronized void leaveWhatIsLost() {
        claimed.values().removeIf(lock -> {
            boolean lost = !lock.isHeld();
            if (lost) {
                lock.close();
            }
            return lost;
        });
    }

    private synchronized void keep(HeldLock lock) {
        claimed.put(numberOf(lock.key()), lock);
    }

    private synchronized void giveOneBack() {
        claimed.pollLastEntry().getValue().close();
    }

    synchronized void giveAllBack() {
        while (!claimed.isEmpty()) {
            giveOneBack();
        }
    }

    /** Those it may work on now, by its own clock. */
    synchronized SortedSet<Integer> claimed() {
        SortedSet<Integer> held = new TreeSet<>();
        claimed.forEach((number, lock) -> {
            if (lock.isHeld()) {
                held.add(number);
            }
        });
        return held;
    }
}
