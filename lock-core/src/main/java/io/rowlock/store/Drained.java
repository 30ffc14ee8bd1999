package io.rowlock.store;

import java.util.List;

/**
 * The result of a look at the shared holders of a closed key.
 *
 * @param complete whether no shared holder is left, so that the exclusive lease is granted
 * @param expired shared leases that had run out and that this look has removed: each is reported once
 */
public record Drained(boolean complete, List<ExpiredLease> expired) {
    /** No shared holder was in the way. */
    public static final Drained COMPLETE = new Drained(true, List.of());

    /** Shared holders are left. */
    public static final Drained NOT_YET = new Drained(false, List.of());

    public Drained {
        expired = List.copyOf(expired);
    }
}
