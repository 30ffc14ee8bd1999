package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.session.JdbcText.key;

import io.rowlock.store.Lease;

/** Names the row of one lease in the table of a strategy: by its primary key, and by the token that makes it this lease. */
enum RowNaming {
    /** The gate and the readers of a key have rows of their own. */
    SLOTS("slot", "permits", "shared", "lock_key, slot, fence"),

    /** A key has one row. */
    KEYS("0", "0", "0", "lock_key, fence");

    /** A row's slot, how many permits it allows, and whether its key has had readers, as the table has them. */
    final String slot;

    final String permits;
    final String shared;

    /** Key, slot and token. */
    final String columns;

    final String condition;

    /** The columns that name a row. */
    final String name;

    RowNaming(String slot, String permits, String shared, String name) {
        this.slot = slot;
        this.permits = permits;
        this.shared = shared;
        this.columns = "lock_key, %s, fence".formatted(slot);
        this.name = name;
        this.condition = name.replace(",", " = ? AND") + " = ?";
    }

    /**
     * A condition that the rows of {@code count} leases meet. A server takes ten times as long for as many with OR. For one
     * row there is no list: MariaDB 11.8 looks for that in all rows of the table when it updates, and waits for each.
     */
    String oneOf(int count) {
        if (count == 1) {
            return condition;
        }
        String row = "(" + name.replaceAll("\\w+", "?") + ")";
        return "(%s) IN (%s)".formatted(name, row + (", " + row).repeat(count - 1));
    }

    /** The parameters of the condition. */
    Object[] parameters(Lease lease) {
        byte[] key = key(lease.key());
        return this == SLOTS ? new Object[] {key, lease.slot(), lease.fence()} : new Object[] {key, lease.fence()};
    }
}
