package io.rowlock;

/**
 * The lock is not held any more, or cannot be proven held: its lease expired, was taken over or was released by force.
 * Thrown by a commit, it has refused that commit: nothing of the transaction was stored.
 */
public class LockLostException extends DistributedLockException {
    private static final long serialVersionUID = 1L;

    private final String key;
    private final long fencingToken;

    /**
     * @param key the key of the lost lock
     * @param fencingToken the token it was held with
     * @param what what was found, and what follows from it, as a sentence without a full stop
     */
    public LockLostException(String key, long fencingToken, String what) {
        super("The lock \"%s\" (token %d) is lost: %s".formatted(key, fencingToken, what), null);
        this.key = key;
        this.fencingToken = fencingToken;
    }

    /** @return the key of the lost lock */
    public String key() {
        return key;
    }

    /** @return the token it was held with */
    public long fencingToken() {
        return fencingToken;
    }
}
