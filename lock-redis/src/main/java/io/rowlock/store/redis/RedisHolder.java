package io.rowlock.store.redis;

import io.rowlock.LockMode;
import io.rowlock.store.inspection.LiveLock;
import io.rowlock.store.inspection.StoreInspection.Holder;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/**
 * A holder of a key whose lease still lasts, as {@link Script#LOOK} sees it.
 *
 * @param permits how many permits there may be with it; 0 if it is none
 * @param lock what is shown of it
 * @param left how long it lasts
 */
record RedisHolder(long permits, LiveLock lock, Duration left) {
    private static final int FIRST_READER = 8;
    private static final int FIELDS = 6;

    /** The kind of a reader, by its number of permits. */
    static LockMode mode(long permits) {
        return permits > 0 ? LockMode.PERMIT : LockMode.SHARED;
    }

    /** Returns the writer, then the readers. */
    static List<RedisHolder> of(String key, Answer look) {
        List<RedisHolder> holders = new ArrayList<>();
        String[] writer = {look.text(2), look.text(3), look.text(4), look.text(5), "0", look.text(6)};
        add(holders, key, LockMode.EXCLUSIVE, 0, writer, look.time());
        for (int i = FIRST_READER; i + 1 < look.size(); i += 2) {
            String[] reader = look.text(i + 1).split(" ", FIELDS);
            add(holders, key, mode(Long.parseLong(reader[4])), look.number(i), reader, look.time());
        }
        return holders;
    }

    /** @param value until, since, token, in use, permits, owner */
    private static void add(List<RedisHolder> holders, String key, LockMode mode, long slot, String[] value, long now) {
        Duration left = RedisAttempts.ofMicros(Long.parseLong(value[0]) - now);
        if (left.compareTo(Duration.ZERO) > 0) {
            Instant since =
                    value[3].equals("1") ? Instant.EPOCH.plus(Long.parseLong(value[1]), ChronoUnit.MICROS) : null;
            LiveLock lock = new LiveLock(key, mode, slot, value[5], Long.parseLong(value[2]), since, left);
            holders.add(new RedisHolder(Long.parseLong(value[4]), lock, left));
        }
    }

    Holder holder() {
        return new Holder(lock.owner(), left);
    }
}
