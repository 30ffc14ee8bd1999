package io.rowlock.store.jdbc.rowlock;

import io.rowlock.LockMode;
import io.rowlock.store.jdbc.session.TablePrefix;

/**
 * The statements of strategy {@code transaction}. Each key has a row of its own, besides those of strategy {@code row-lock},
 * found by primary key: so a locking read locks that row and no gap, under every isolation level, as long as the row exists.
 */
final class TransactionRowLockSql {
    private static final int SLOT = 0;

    /** Locks nothing. */
    final String exists;

    final String create;

    /** Asks whether a statement that waited too long for a row takes its whole transaction with it, and whether the server is a MariaDB. */
    final String server = "SELECT @@innodb_rollback_on_timeout, VERSION() LIKE '%MariaDB%'";

    /** From now on the session waits a second for a row. What it did before stays in a variable of the session. */
    final String waitForASecond =
            "SET @rowlock_lock_wait = @@SESSION.innodb_lock_wait_timeout, SESSION innodb_lock_wait_timeout = 1";

    final String waitAsBefore = "SET SESSION innodb_lock_wait_timeout = @rowlock_lock_wait";

    private final String select;

    TransactionRowLockSql(TablePrefix prefix) {
        select = "SELECT slot FROM %s WHERE lock_key = ? AND slot = %d".formatted(prefix.rowTable(), SLOT);
        exists = select;
        create = "INSERT INTO %s (lock_key, slot, gate, created_on) VALUES (?, %d, 0, %s)"
                .formatted(prefix.rowTable(), SLOT, RowLockSql.TODAY);
    }

    /**
     * Locks the row, or fails at once.
     *
     * @param mariaDb whether the server is one: it spells a shared lock differently
     */
    String atOnce(LockMode mode, boolean mariaDb) {
        String share = mariaDb ? "LOCK IN SHARE MODE NOWAIT" : "FOR SHARE NOWAIT";
        return select + " " + (mode == LockMode.EXCLUSIVE ? "FOR UPDATE NOWAIT" : share);
    }

    /** Locks the row, and waits for it as long as the session does. */
    String waiting(LockMode mode) {
        return select + " " + (mode == LockMode.EXCLUSIVE ? "FOR UPDATE" : "LOCK IN SHARE MODE");
    }
}
