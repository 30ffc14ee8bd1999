package io.rowlock.store.jdbc.session;

import io.rowlock.store.Fence;
import io.rowlock.store.Lease;
import java.util.List;
import java.util.Optional;

/**
 * The check of a fence, bound to one transaction.
 *
 * @param transaction the one it is bound to
 * @param check what the fence does in any transaction
 */
public record PinnedFence(TransactionConnection.Pinned transaction, Check check) implements Fence.Pinned {
    /** Finds a lost lease in a transaction. */
    @FunctionalInterface
    public interface Check {
        Optional<Lease> firstLost(CheckedTransaction transaction, List<Lease> leases);
    }

    /** @return the check in the current transaction; one that is never open if its connection is not known */
    public static Fence.Pinned current(TransactionConnection connection, Check check) {
        TransactionConnection.Pinned present = connection.pinned();
        return present == null ? Fence.Pinned.NEVER_OPEN : new PinnedFence(present, check);
    }

    @Override
    public boolean isOpen() {
        return transaction.isOpen();
    }

    @Override
    public Optional<Lease> firstLost(List<Lease> leases) {
        return check.firstLost(transaction, leases);
    }
}
