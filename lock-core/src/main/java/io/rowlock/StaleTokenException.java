package io.rowlock;

/**
 * A call came with a fencing token smaller than one that was seen for its key: its sender has lost the lock, and a later holder was here
 * already. Or the sender is a reader whose lock was exclusive at first: it keeps the token of that, and a reader with a lock of its own,
 * whose token is greater, was here already. Nothing the call asks for may be stored.
 */
public class StaleTokenException extends DistributedLockException {
    private static final long serialVersionUID = 1L;

    private final String key;
    private final long fencingToken;
    private final long seen;

    /**
     * @param key the key of the lock that the sender had
     * @param fencingToken the token that came with the call
     * @param seen the greatest token seen for the key
     */
    public StaleTokenException(String key, long fencingToken, long seen) {
        super(
                "The token %d of the lock \"%s\" is stale: a later holder was here with token %d"
                        .formatted(fencingToken, key, seen),
                null);
        this.key = key;
        this.fencingToken = fencingToken;
        this.seen = seen;
    }

    /** @return the key of the lock that the sender had */
    public String key() {
        return key;
    }

    /** @return the token that came with the call */
    public long fencingToken() {
        return fencingToken;
    }

    /** @return the greatest token seen for the key */
    public long seen() {
        return seen;
    }
}
