package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.session.JdbcText.CURRENT;
import static io.rowlock.store.jdbc.session.JdbcText.NOW;

import io.rowlock.LockMode;

/**
 * The statements that keep, check and end early a lease that has a row with a token and an expiry, alike in every table of
 * such rows. What {@link LeaseSql} says of isolation and time holds for them.
 */
abstract class ExpiringRowSql {
    /** Names the row of a lease. */
    final RowNaming naming;

    /**
     * Locks one lease's row, and has a lease end that is not used any more: as it says that it was acquired when it ends, it
     * is not mistaken for one whose holder died, and no renewal that comes late makes it longer. It finds only one of which that is not
     * said yet: if no answer came, it may be sent again.
     */
    final String endLater;

    /**
     * Looks for the row of a lease as the business transaction sees it, and locks nothing. Renewals leave key, slot and token as they
     * are. If the transaction has read nothing before, it begins to read with this.
     */
    final String granted;

    /** The columns of an {@link ExpiringRow}. */
    final String row;

    final String table;
    private final String fence;

    ExpiringRowSql(String table, RowNaming naming) {
        this.table = table;
        this.naming = naming;
        endLater = """
                UPDATE %s SET acquired_at = %2$s + INTERVAL ? MICROSECOND, expires_at = %2$s + INTERVAL ? MICROSECOND
                WHERE expires_at > %2$s AND acquired_at <> expires_at AND %3$s""".formatted(table, NOW, naming.condition);
        row = """
                owner, TIMESTAMPDIFF(MICROSECOND, %s, expires_at), fence, TIMESTAMPDIFF(MICROSECOND, acquired_at, expires_at),
                       %s, %s, %s, expires_at > '1970-01-01'""".formatted(NOW, naming.slot, naming.permits, naming.shared);
        granted = "SELECT fence FROM %s WHERE %s".formatted(table, naming.condition);
        fence = CURRENT + """
                SELECT TIMESTAMPDIFF(MICROSECOND, %1$s, expires_at)
                FROM %2$s WHERE %3$s AND expires_at > %1$s
                """.formatted(NOW, table, naming.condition);
    }

    /** Returns the statements that release an exclusive lease. */
    abstract NamedLockQueue.Release releases();

    /**
     * Locks the row of a lease on the business transaction's connection, to its end: no other transaction can acquire or delete it before
     * that transaction is over. A reader's row is share-locked, which keeps a writer that drains from deleting it. An
     * exclusive one is locked for update: a shared lock on a gate would keep out writers only, for readers share-lock the
     * gate themselves.
     */
    String fence(LockMode mode) {
        return fence + (mode == LockMode.EXCLUSIVE ? "FOR UPDATE" : "LOCK IN SHARE MODE");
    }

    /**
     * Locks the rows of {@code count} leases in primary-key order, and no others: without the hint, MariaDB reads all rows of
     * a small table, and waits for each that another transaction has locked. One that has expired is not brought back, and none is
     * made shorter: a statement of which no answer came may still run after the one that was sent in its place, with its
     * time frozen before. Nor is one made longer that is only kept for its minimum by now, as {@link #endLater} leaves it.
     */
    String renew(int count) {
        return """
                UPDATE %s FORCE INDEX (PRIMARY) SET expires_at = GREATEST(expires_at, %2$s + INTERVAL ? MICROSECOND)
                WHERE %3$s AND expires_at > %2$s AND acquired_at <> expires_at""".formatted(table, NOW, naming.oneOf(count));
    }

    /** Locks those rows of {@code count} live leases that no other transaction has locked, and waits for none. */
    String lockUnlocked(int count) {
        return live(count) + " FOR UPDATE SKIP LOCKED";
    }

    /** Locks nothing. Those of {@code count} leases that still last. */
    String live(int count) {
        return "SELECT %s FROM %s FORCE INDEX (PRIMARY) WHERE %s AND expires_at > %s"
                .formatted(naming.columns, table, naming.oneOf(count), NOW);
    }
}
