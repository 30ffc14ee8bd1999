package io.rowlock.store;

import io.rowlock.LockMode;
import java.time.Duration;

/**
 * One key to lease.
 *
 * @param key the key as the table has it, prefix included
 * @param mode exclusive, shared or a permit
 * @param owner who takes it; unique to the process that renews and releases it
 * @param ttl how long the lease lasts without a renewal
 * @param nonce a positive number that no other request has, of whatever process: it names the attempt, so that it can be taken
 *     back if no answer to it came
 * @param waited how long the lease was waited for before this attempt; for the log only
 * @param timeLimit how long the caller still waits, negative if its time is over: the store answers, or fails, at most one
 *     query time-out after it
 * @param permits how many permits of the key there may be with this one; zero unless the mode is {@link LockMode#PERMIT}
 */
public record LeaseRequest(
        String key,
        LockMode mode,
        String owner,
        Duration ttl,
        long nonce,
        Duration waited,
        Duration timeLimit,
        int permits) {

    /**
     * A request without permits.
     *
     * @param key the key as the table has it, prefix included
     * @param mode exclusive or shared
     * @param owner who takes it
     * @param ttl how long the lease lasts without a renewal
     * @param nonce names the attempt
     * @param waited how long the lease was waited for before this attempt
     * @param timeLimit how long the caller still waits
     */
    public LeaseRequest(
            String key, LockMode mode, String owner, Duration ttl, long nonce, Duration waited, Duration timeLimit) {
        this(key, mode, owner, ttl, nonce, waited, timeLimit, 0);
    }
}
