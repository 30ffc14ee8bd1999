package io.rowlock.store.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rowlock.store.Lease;

/** How the table of a strategy names the row of one lease: by its primary key, and by the token that makes it this lease. */
enum RowNaming {
    /** The gate and the readers of a key have rows of their own. */
    SLOTS("lock_key, slot, fence", "lock_key = ? AND slot = ? AND fence = ?") {
        @Override
        Object[] parameters(Lease lease) {
            return new Object[] {key(lease), lease.slot(), lease.fencingToken()};
        }
    },

    /** A key has one row. */
    KEYS("lock_key, 0, fence", "lock_key = ? AND fence = ?") {
        @Override
        Object[] parameters(Lease lease) {
            return new Object[] {key(lease), lease.fencingToken()};
        }
    };

    /** Key, slot and token. */
    final String columns;

    final String condition;

    RowNaming(String columns, String condition) {
        this.columns = columns;
        this.condition = condition;
    }

    /** The parameters of the condition. */
    abstract Object[] parameters(Lease lease);

    private static byte[] key(Lease lease) {
        return lease.key().getBytes(UTF_8);
    }
}
