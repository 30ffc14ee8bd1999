package io.rowlock.store;

import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;

/**
 * A key to lease.
 *
 * @param key the key as the table has it, prefix included; at most 255 bytes of UTF-8
 * @param mode exclusive, shared or a permit
 * @param owner who acquires it; unique to the process that renews and releases it
 * @param ttl how long the lease lasts without a renewal
 * @param nonce a positive number that no other request has, of whatever process: it names the attempt, so that it can be revoked
 *     if no answer to it came
 * @param timeLimit how long the caller still waits, negative if its time is over. It bounds the call, which answers or fails at most one
 *     query time-out after it, and never has the store wait for the key
 * @param permits how many permits of the key there may be with this one; zero unless the mode is {@link LockMode#PERMIT}
 */
public record LeaseRequest(
        String key, LockMode mode, String owner, Duration ttl, long nonce, Duration timeLimit, int permits) {

    private static final SecureRandom RANDOM = new SecureRandom();

    /** The length of a key in bytes of UTF-8: a column that is shorter than a key might cut it. */
    private static final int LONGEST = 255;

    public LeaseRequest {
        int length = key.length() > LONGEST / 3 ? key.getBytes(StandardCharsets.UTF_8).length : 0;
        if (length > LONGEST) {
            throw new LockStoreException(
                    "The key \"%s\" has %d bytes; 255 is the limit".formatted(Printable.of(key), length), null);
        }
    }

    /**
     * Returns a positive number that no other attempt has, to name one with. It comes from the operating system's randomness, so that
     * processes that were copied while they ran (a virtual machine's snapshot, a checkpoint) do not go on with the same numbers.
     */
    public static long freshNonce() {
        // Asks once for all bits, where RANDOM.nextLong() asks for each half
        return Math.max(1, new BigInteger(Long.SIZE - 1, RANDOM).longValue());
    }
}
