package io.rowlock.store.inspection;

import io.rowlock.LockMode;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Shows and ends the locks of a strategy for an operator, in whatever process they are held. Looking locks nothing.
 * Thread-safe. Every call may fail with {@link io.rowlock.LockStoreException}.
 */
public interface StoreInspection {
    /**
     * The first locks of a range, in its order. A lock that is acquired while an operator goes from one range to the one behind it may be in
     * none of them.
     *
     * @param range which
     * @param limit at most that many; positive
     * @return those that are held
     */
    List<LiveLock> page(KeyRange range, int limit);

    /**
     * Who holds a key.
     *
     * @param key the key as the table has it
     * @return every holder
     */
    List<LiveLock> holders(String key);

    /**
     * A holder that keeps a key from being acquired.
     *
     * @param key the key as the table has it
     * @param mode the mode one would acquire it in
     * @return a holder that stands in the way, if there is one and it can be seen with one cheap statement
     */
    default Optional<Holder> holder(String key, LockMode mode) {
        return inTheWay(holders(key), mode, Integer.MAX_VALUE);
    }

    /**
     * Returns the holder that keeps a key from being acquired: the writer, for a writer anybody, for a permit the permits if there are as many
     * as one of them allows. Of several, the one whose lock ends first.
     *
     * @param live the locks on the key
     * @param mode the mode one would acquire it in
     * @param most how many permits there may be with one that would be acquired
     * @return the holder; empty if none is in the way, or it is not known how long its lock lasts
     */
    static Optional<Holder> inTheWay(List<LiveLock> live, LockMode mode, int most) {
        long permits = live.stream().filter(lock -> lock.permits() > 0).count();
        boolean full = live.stream().anyMatch(lock -> lock.permits() > 0 && Math.min(lock.permits(), most) <= permits);
        return live.stream()
                .filter(lock -> lock.mode() == LockMode.EXCLUSIVE
                        || mode == LockMode.EXCLUSIVE
                        || (mode == LockMode.PERMIT && full && lock.permits() > 0))
                .min(Comparator.comparing((LiveLock lock) -> lock.mode() != LockMode.EXCLUSIVE)
                        .thenComparing(LiveLock::remaining, Comparator.nullsLast(Comparator.naturalOrder())))
                .flatMap(lock -> Optional.ofNullable(lock.remaining()).map(left -> new Holder(lock.owner(), left)));
    }

    /**
     * Ends a lock of any process. Its holder finds out when it renews it or commits under it.
     *
     * @param lock the lock
     * @return false if it had ended by itself
     */
    boolean end(LiveLock lock);

    /** Makes sure, with one cheap statement, that locks can be acquired now: the table is there and takes writes. */
    void requireUsable();

    /** Makes sure that the database user has every right this strategy needs on its tables. Changes nothing. */
    void requireRights();

    /**
     * The holder that keeps a key from being acquired.
     *
     * @param owner the owner as the table shows it
     * @param remaining how long the lease still lasts by the database's clock if it is not renewed
     */
    record Holder(String owner, Duration remaining) {}
}
