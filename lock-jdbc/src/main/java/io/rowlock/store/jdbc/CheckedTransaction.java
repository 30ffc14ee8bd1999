package io.rowlock.store.jdbc;

import org.jspecify.annotations.Nullable;

/** A business transaction in which leases are checked. */
public interface CheckedTransaction {
    /** Runs work within the transaction. */
    <T> T call(TransactionConnection.Work<T> work);

    /** @return where it is, or null if its connection is not known */
    @Nullable
    TransactionPlace place();
}
