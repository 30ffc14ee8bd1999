package io.rowlock.store;

import io.rowlock.LockMode;
import java.time.Duration;

/**
 * Locks that are part of the caller's transaction: a row lock on its own connection, which ends with its commit or rollback.
 * They have no ttl, no renewal and no token, and nothing can take them away while the transaction lives.
 *
 * <p>Thread-safe. Every method but {@link #create} works on the transaction of the calling thread.
 */
public interface TransactionLocks {
    /** The name by which requests choose them. */
    String STRATEGY = "transaction";

    /** The outcome of an attempt. */
    enum Outcome {
        /** The transaction has the lock, to its end. */
        LOCKED,

        /** Another transaction had it until the time was over. The transaction is as it was. */
        BUSY,

        /**
         * The row of the key does not exist: it was never created, or was removed since. If the transaction had waited for it, it may keep
         * a lock on what is left of the row, so that it has to end before the row can be created.
         */
        NO_ROW,

        /** The server has rolled the transaction back, because of a deadlock or because that is how it answers a busy row. */
        ROLLED_BACK
    }

    /** A transaction that may have completed since, may be suspended, or may be another thread's. */
    interface Transaction {
        /** Returns false if its connection is closed, also by the driver after a failure, or commits each statement. Asks no server. */
        boolean isOpen();

        /**
         * Asks the server for a lock that was granted to it: one that ended with the server's transaction, after a deadlock or a statement
         * that commits, is not there any more. Of a shared lock it cannot be told if other transactions share the key.
         *
         * @param key the key as the table has it
         * @param mode exclusive or shared
         * @return false if the transaction has not had the lock all the time since it was granted
         * @throws io.rowlock.LockStoreException if the database could not be asked
         */
        boolean holds(String key, LockMode mode);
    }

    /**
     * Returns the transaction that is open on the calling thread.
     *
     * @throws io.rowlock.LockStoreException if none is reachable
     */
    Transaction current();

    /**
     * Returns true if the calling thread has a transaction whose connection leads to the lock tables.
     *
     * @return whether it has
     */
    boolean isReachable();

    /**
     * Returns true if each statement of the transaction reads what is committed by then. Otherwise the transaction may read data as
     * it was before its lock was granted.
     *
     * @return whether it is READ COMMITTED or weaker
     * @throws io.rowlock.LockStoreException if the database could not be asked
     */
    boolean readsCommitted();

    /**
     * Makes sure that the row of a key exists, on another connection than the transaction's. Costs nothing for a key that was
     * used a short time ago.
     *
     * @param key the key as the table has it
     * @throws io.rowlock.LockStoreException if the database could not be asked
     */
    void create(String key);

    /**
     * Locks the row of a key on the transaction's connection.
     *
     * @param key the key as the table has it
     * @param mode exclusive or shared
     * @param patience how long to wait; zero to try once
     * @param wait looks up every second, at least, whether to go on
     * @return what came of it
     * @throws io.rowlock.LockStoreException if the database could not be asked
     * @throws InterruptedException if the thread was interrupted
     */
    Outcome lock(String key, LockMode mode, Duration patience, Runnable wait) throws InterruptedException;
}
