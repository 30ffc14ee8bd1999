package io.rowlock.store;

import io.rowlock.LockMode;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row of the lock log. Times are the server's.
 *
 * @param key the key as the table has it
 * @param strategy what took the lock
 * @param mode exclusive or shared
 * @param owner who had it
 * @param fencingToken its token
 * @param status how it stands with it, as the table spells it
 * @param acquiredAt when it was granted
 * @param completedAt when a transaction it guarded committed, or null
 * @param releasedAt when it ended, or null
 * @param waited how long it was waited for
 * @param note a remark on it, or null
 */
public record LogRow(
        String key,
        String strategy,
        LockMode mode,
        String owner,
        long fencingToken,
        String status,
        Instant acquiredAt,
        @Nullable Instant completedAt,
        @Nullable Instant releasedAt,
        Duration waited,
        @Nullable String note) {

    /**
     * @param shown the key as it is to be shown
     * @return a copy with this key
     */
    public LogRow withKey(String shown) {
        return new LogRow(
                shown, strategy, mode, owner, fencingToken, status, acquiredAt, completedAt, releasedAt, waited, note);
    }
}
