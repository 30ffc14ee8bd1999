package io.rowlock.store;

/** What became of an exclusive lease that was to become a shared one. */
public sealed interface Downgrade {
    /**
     * It is shared now.
     *
     * @param lease the shared lease; the exclusive one has ended
     */
    record Shared(Lease lease) implements Downgrade {}

    /** It stays exclusive: the store cannot make it shared without a gap. */
    record Unchanged() implements Downgrade {}

    /** Both leases are lost. */
    record Lost() implements Downgrade {}
}
