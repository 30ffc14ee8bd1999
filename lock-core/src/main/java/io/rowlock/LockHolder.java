package io.rowlock;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The holder of a key, as the database showed it when it was asked: it may have released the key since.
 *
 * @param owner the process that holds it, as {@code rowlock.owner} names it; for a row lock of another node, its session
 * @param mode exclusive or shared
 * @param strategy the strategy of the lock
 * @param fencingToken the token of the first grant of its lease, or null if it is not known
 * @param since when it was granted, by the database's clock, or null if that is not known or the lock is released and only
 *     kept for its {@code holdAtLeast}
 * @param remaining how long it still lasts without a renewal, or null if it is not known
 */
public record LockHolder(
        String owner,
        LockMode mode,
        String strategy,
        @Nullable Long fencingToken,
        @Nullable Instant since,
        @Nullable Duration remaining) {}
