package io.rowlock.client.request;

import java.security.SecureRandom;

/**
 * Names for attempts. They come from the operating system's randomness, so that processes that were copied while they ran
 * (a virtual machine's snapshot, a checkpoint) do not go on with the same numbers.
 */
public final class Nonce {
    private static final SecureRandom RANDOM = new SecureRandom();

    private Nonce() {}

    /** @return a positive number that no other attempt has */
    public static long fresh() {
        long nonce;
        do {
            nonce = RANDOM.nextLong() & Long.MAX_VALUE;
        } while (nonce == 0);
        return nonce;
    }
}
