package io.rowlock.store.jdbc;

/** A business transaction in which leases are checked. */
public interface CheckedTransaction {
    /** Runs work within the transaction. */
    <T> T call(TransactionConnection.Work<T> work);
}
