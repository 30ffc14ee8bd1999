package io.rowlock;

/**
 * A transaction was about to write what it had read before its thread acquired the lock that guards it. Nothing of the transaction is
 * stored: what it read may be older than the commit of a former holder, whose changes it would overwrite. Thrown during a flush or before
 * the commit, unless {@code rowlock.fencing.stale-snapshot} says otherwise.
 */
public class StaleReadException extends DistributedLockException {
    private static final long serialVersionUID = 1L;

    /** @param message what was read too early, which lock it was read before, and what to do */
    public StaleReadException(String message) {
        super(message, null);
    }
}
