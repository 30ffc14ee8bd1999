package io.rowlock.store.inspection;

import io.rowlock.LockMode;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A lock that is held, as the database shows it.
 *
 * @param key the key as the table has it, prefix included
 * @param mode exclusive or shared
 * @param slot the store's own number, which tells the holders of one key apart
 * @param owner who holds it
 * @param fence the fence of its lease, which is the token of the first grant of it, or null if it is not known
 * @param since since when, by the database's clock, or null if it is not known or the lock is released and only kept for
 *     its {@code holdAtLeast}
 * @param remaining how long it still lasts without a renewal, or null if it is not known
 * @param permits how many permits there may be with it; zero if it is none
 */
public record LiveLock(
        String key,
        LockMode mode,
        long slot,
        String owner,
        @Nullable Long fence,
        @Nullable Instant since,
        @Nullable Duration remaining,
        int permits) {}
