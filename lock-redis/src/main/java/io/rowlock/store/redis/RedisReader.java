package io.rowlock.store.redis;

import io.rowlock.LockMode;
import io.rowlock.store.inspection.LiveLock;
import io.rowlock.store.inspection.StoreInspection.Holder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A reader or a permit inside of a key that still lasts, as a script sees it.
 *
 * @param permits how many permits there may be with it; 0 if it is a reader
 * @param lock what is shown of it
 * @param left how long it lasts
 */
record RedisReader(long permits, LiveLock lock, Duration left) {
    private static final int FIELDS = 6;

    /** The kind of a reader, by its number of permits. */
    static LockMode mode(long permits) {
        return permits > 0 ? LockMode.PERMIT : LockMode.SHARED;
    }

    /**
     * Those of an answer that last.
     *
     * @param look an answer of {@link Script#LOOK}
     * @param from where in it their nonces and values begin: until, since, token, in use, permits, owner
     */
    static List<RedisReader> of(String key, Answer look, int from) {
        List<RedisReader> readers = new ArrayList<>();
        for (int i = from; i + 1 < look.size(); i += 2) {
            String[] value = look.text(i + 1).split(" ", FIELDS);
            long left = Long.parseLong(value[0]) - look.time();
            if (left > 0) {
                readers.add(of(key, look.number(i), value, RedisAttempts.ofMicros(left)));
            }
        }
        return readers;
    }

    private static RedisReader of(String key, long nonce, String[] value, Duration left) {
        long permits = Long.parseLong(value[4]);
        LiveLock lock = new LiveLock(
                key,
                mode(permits),
                nonce,
                value[5],
                Long.parseLong(value[2]),
                value[3].equals("1") ? RedisInspection.instant(Long.parseLong(value[1])) : null,
                left);
        return new RedisReader(permits, lock, left);
    }

    Holder holder() {
        return new Holder(lock.owner(), left);
    }
}
