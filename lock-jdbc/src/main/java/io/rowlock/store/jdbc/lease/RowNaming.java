package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.session.JdbcText.key;

import io.rowlock.store.Lease;

/** How the table of a strategy names the row of one lease: by its primary key, and by the token that makes it this lease. */
enum RowNaming {
    /** The gate and the readers of a key have rows of their own. */
    SLOTS("lock_key, slot, fence", "lock_key, slot, fence", "?, ?, ?", "lock_key = ? AND slot = ? AND fence = ?") {
        @Override
        Object[] parameters(Lease lease) {
            return new Object[] {key(lease.key()), lease.slot(), lease.fence()};
        }
    },

    /** A key has one row. */
    KEYS("lock_key, 0, fence", "lock_key, fence", "?, ?", "lock_key = ? AND fence = ?") {
        @Override
        Object[] parameters(Lease lease) {
            return new Object[] {key(lease.key()), lease.fence()};
        }
    };

    /** Key, slot and token. */
    final String columns;

    final String condition;

    private final String name;
    private final String parameters;

    RowNaming(String columns, String name, String parameters, String condition) {
        this.columns = columns;
        this.name = name;
        this.parameters = parameters;
        this.condition = condition;
    }

    /**
     * A condition that the rows of {@code count} leases meet. A server takes ten times as long for as many with OR. For one
     * row there is no list: MariaDB 11.8 looks for that in all rows of the table when it updates, and waits for each.
     */
    String oneOf(int count) {
        if (count == 1) {
            return condition;
        }
        String row = "(" + parameters + ")";
        return "(%s) IN (%s)".formatted(name, row + (", " + row).repeat(count - 1));
    }

    /** The parameters of the condition. */
    abstract Object[] parameters(Lease lease);
}
