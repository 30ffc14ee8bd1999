package io.rowlock.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rowlock.LockMode;
import java.util.Arrays;
import java.util.Comparator;

/**
 * A lease as the store knows it. Key, slot and fence together name this one lease and no other, before or after it.
 *
 * <p>An exclusive lease may be handed on from thread to thread of its process. Its <em>fence</em> is the token of its first
 * grant, and the only one that the database knows; each grant after it has a token of its own, greater by one, as far as
 * {@link StoreCapabilities#handoffs} goes.
 *
 * @param key the key as the table has it, prefix included
 * @param mode exclusive, shared or a permit
 * @param slot the store's own number for the place it takes under its key; 0 if and only if the lease is exclusive
 * @param fence the number that statements name it by, and the token of its first grant
 * @param owner who acquired it
 */
public record Lease(String key, LockMode mode, long slot, long fence, String owner) {
    /**
     * How many tokens a lease keeps for itself in a store that leaves room for them: the first is its fence, the last but that
     * one are those of its hand-offs, and the last is what readers have that come after it.
     */
    public static final int TOKENS = 1_024;

    /** The number of times that a lease can be handed on. */
    public static final int MOST_HANDOFFS = TOKENS - 2;

    /** By the bytes of the key, then by slot: the order in which a store locks several leases, so that no two wait for each other. */
    public static final Comparator<Lease> STORE_ORDER = Comparator.comparing(
                    (Lease lease) -> lease.key().getBytes(UTF_8), Arrays::compareUnsigned)
            .thenComparingLong(Lease::slot);

    /**
     * This lease, held in another mode: an exclusive one may be handed to readers.
     *
     * @param used how it is held
     * @return a lease that differs in the mode only
     */
    public Lease as(LockMode used) {
        return used == mode ? this : new Lease(key, used, slot, fence, owner);
    }
}
