package io.rowlock.sample;

import java.math.BigDecimal;

/**
 * A lock that is held right now.
 *
 * @param key the lock key
 * @param mode {@code EXCLUSIVE} or {@code SHARED}
 * @param owner the node that holds it
 * @param token the fencing token
 * @param secondsHeld how long ago it was granted
 * @param secondsLeft how long it stays taken if its node dies now
 */
record CurrentLock(String key, String mode, String owner, long token, BigDecimal secondsHeld, BigDecimal secondsLeft) {}
