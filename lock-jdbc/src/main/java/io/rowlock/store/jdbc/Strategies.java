package io.rowlock.store.jdbc;

import io.rowlock.store.TransactionLocks;

/** The strategies of this module, by the names with which {@code rowlock.strategy} chooses them. */
public final class Strategies {
    /** A row that says until when its key is locked. */
    public static final String LEASE = "lease";

    /** A row that exists while its key is locked. */
    public static final String UNIQUE_KEY = "unique-key";

    /** A row lock of an open transaction. */
    public static final String ROW_LOCK = "row-lock";

    /** A row lock of the caller's transaction. */
    public static final String TRANSACTION = TransactionLocks.STRATEGY;

    private Strategies() {}
}
