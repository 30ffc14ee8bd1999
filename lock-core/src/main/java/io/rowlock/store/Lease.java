package io.rowlock.store;

import io.rowlock.LockMode;

/**
 * A lease as the store knows it. Key, slot and token together name this one lease and no other, before or after it.
 *
 * @param key the key as the table has it, prefix included
 * @param mode exclusive or shared
 * @param slot the store's own number for the place it takes under its key; 0 for an exclusive lease
 * @param fencingToken the token of the lease
 * @param owner who took it
 */
public record Lease(String key, LockMode mode, long slot, long fencingToken, String owner) {
    /**
     * This lease, held in another mode: an exclusive one may be handed to readers.
     *
     * @param used how it is held
     * @return a lease that differs in the mode only
     */
    public Lease as(LockMode used) {
        return used == mode ? this : new Lease(key, used, slot, fencingToken, owner);
    }
}
