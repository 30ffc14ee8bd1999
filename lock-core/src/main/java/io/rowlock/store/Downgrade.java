package io.rowlock.store;

/** The outcome of the change of an exclusive lease to a shared one. */
public sealed interface Downgrade {
    /**
     * It is shared now.
     *
     * @param lease the shared lease; the exclusive one has ended
     */
    record Shared(Lease lease) implements Downgrade {}

    /** The lease stays exclusive: the store cannot make it shared without a gap. */
    record Unchanged() implements Downgrade {}

    /** Both leases are lost. */
    record Lost() implements Downgrade {}
}
