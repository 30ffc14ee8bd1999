package io.rowlock.autoconfigure;

import io.rowlock.LockRequest;
import io.rowlock.annotation.OnBusy;
import io.rowlock.client.lock.StaleReads;
import io.rowlock.interceptor.LockOverrides;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The locks of annotations with one name. What is not set is as the annotation says.
 *
 * @param ttl How long a dead holder keeps the lock.
 * @param waitTime How long to wait for a busy lock; 0 tries once.
 * @param strategy How the lock is held in the database. All nodes must be stopped to change it.
 * @param holdAtLeast How long the lock stays taken at least.
 * @param onBusy What a method does when its lock is still busy after the wait time.
 * @param permits How many permits of a semaphore there are.
 * @param staleSnapshot What becomes of a transaction that writes under the lock what it read before: refuse, warn or allow.
 */
record LockProperties(
        @Nullable Duration ttl,
        @Nullable Duration waitTime,
        @Nullable String strategy,
        @Nullable Duration holdAtLeast,
        @Nullable OnBusy onBusy,
        @Nullable Integer permits,
        StaleReads.@Nullable Policy staleSnapshot) {

    static void check(String name, LockProperties lock) {
        boolean plain = name.matches("[a-z0-9-]+");
        String prefix = "rowlock.locks" + (plain ? "." + name : "[" + name + "]");
        if (lock.ttl != null) {
            PropertyLimit.positive(prefix + ".ttl", lock.ttl, PropertyLimit.YEAR);
        }
        notNegative(prefix + ".wait-time", lock.waitTime);
        notNegative(prefix + ".hold-at-least", lock.holdAtLeast);
        PropertyLimit.notBlank(prefix + ".strategy", lock.strategy);
        if (lock.permits != null) {
            PropertyLimit.between(prefix + ".permits", lock.permits, 1, LockRequest.MAX_PERMITS);
        }
    }

    private static void notNegative(String property, @Nullable Duration value) {
        if (value != null) {
            PropertyLimit.notNegative(property, value, PropertyLimit.YEAR);
        }
    }

    LockOverrides.Settings settings() {
        return new LockOverrides.Settings(ttl, waitTime, strategy, holdAtLeast, onBusy, permits);
    }
}
