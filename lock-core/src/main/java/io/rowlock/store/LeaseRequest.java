package io.rowlock.store;

import io.rowlock.LockMode;
import java.time.Duration;

/**
 * One key to lease.
 *
 * @param key the key as the table has it, prefix included
 * @param mode exclusive or shared
 * @param owner who takes it; unique to the process that renews and releases it
 * @param ttl how long the lease lasts without a renewal
 * @param nonce a positive number that no other request for this key has
 * @param waited how long the lease was waited for before this attempt; for the log only
 * @param timeLimit how long the attempt may take; the store answers by then, or with an error
 */
public record LeaseRequest(
        String key, LockMode mode, String owner, Duration ttl, long nonce, Duration waited, Duration timeLimit) {}
