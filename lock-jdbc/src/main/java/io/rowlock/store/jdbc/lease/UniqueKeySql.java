package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.session.JdbcText.MICROS;
import static io.rowlock.store.jdbc.session.JdbcText.NOW;

import io.rowlock.store.Lease;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.jdbc.session.TablePrefix.Table;

/**
 * The statements of strategy {@code unique-key}. What {@link LeaseSql} says of isolation and time holds for them.
 *
 * <p>A key's row vanishes with its lease, so the token cannot be counted on in it. It is the number the server gives to the
 * row that is inserted, from a counter that is kept whatever becomes of the rows. The server draws it some time before the
 * row is in the table. In between, another lease of the key could be acquired with a later number and released, and the
 * earlier number come after it; so what inserts locks the row of the key's stripe before it draws, until it is done.
 */
final class UniqueKeySql extends ExpiringRowSql {
    /** 2020-01-01. The counter was begun at the time in microseconds, so a smaller number means that it was begun anew. */
    static final long LEAST_TOKEN = 1_577_836_800_000_000L;

    /** Sets the steps of the counter, in the words of both servers: each reads the other's as a comment. */
    private static final String STEPS =
            "/*M! SET STATEMENT auto_increment_increment = %1$d, auto_increment_offset = 1 FOR */ INSERT /*+ SET_VAR(auto_increment_increment = %1$d) SET_VAR(auto_increment_offset = 1) */"
                    .formatted(Lease.TOKENS);

    /** A power of two. Nodes that differ in it would not order their tokens. */
    private static final int STRIPES = 1_024;

    private static final String STRIPE = "CRC32(?) & " + (STRIPES - 1);
    private static final String OF = "lock_key = ? AND owner = ? AND fence = ?";

    private final String stripes = table + "_stripe";

    /**
     * Locks the stripe, then the new row; says that nothing was inserted if it sees a row of that key, expired or not, without
     * waiting for it, so that a row that stays locked for long does not keep its stripe. Otherwise the primary key
     * decides: a row it did not see is a duplicate. The counter goes on to the next number that is {@link #mostHandoffs the first} of
     * a lease's tokens. The answer carries it. Late or no answer: it may acquire a lease that no process knows of, under its nonce;
     * {@link #abandon} ends that, or its ttl.
     */
    final String acquire = """
            %5$s INTO %1$s (lock_key, owner, nonce, acquired_at, expires_at)
            SELECT ?, ?, ?, %2$s, %2$s + INTERVAL ? MICROSECOND
            FROM %3$s
            WHERE stripe = %4$s AND NOT EXISTS (SELECT 1 FROM %1$s WHERE lock_key = ?)
            FOR UPDATE""".formatted(table, NOW, stripes, STRIPE, STEPS);

    /**
     * Locks the new row, again, to give it a token as if the counter had never been begun anew, and moves the counter. Late: it
     * names the token it replaces. No answer: the row keeps its nonce, so the attempt is abandoned as above.
     */
    final String restartCounter = """
            UPDATE %1$s SET fence = LAST_INSERT_ID((GREATEST(%2$s, %3$s) DIV %4$s + 1) * %4$s + 1)
            WHERE lock_key = ? AND owner = ? AND fence = ?""".formatted(table, MICROS, LEAST_TOKEN, Lease.TOKENS);

    /** Locks nothing. One row if the stripe exists, with what {@link ExpiringRow} reads if the key has a row. */
    final String look =
            "SELECT %s FROM %s LEFT JOIN %s ON lock_key = ? WHERE stripe = %s".formatted(row, stripes, table, STRIPE);

    /** Locks the new row. Fails with a duplicate if it exists. Late or no answer: the next attempt finds out. */
    final String createStripe = "INSERT INTO %s (stripe) VALUES (%s)".formatted(stripes, STRIPE);

    /**
     * Locks the row. Waits for a transaction that has passed its fence check as its holder. Late or no answer: it deletes only
     * what has expired.
     */
    final String deleteExpired = "DELETE FROM %s WHERE lock_key = ? AND expires_at <= %s".formatted(table, NOW);

    /** Locks the row. Another lease's is never deleted, so it may come late, and twice, and is sent again if no answer came. */
    final String release = "DELETE FROM %s WHERE %s".formatted(table, OF);

    /** Like {@link #release}, and lets the next waiter through while it still locks the row. */
    final String releaseAndLeaveQueue =
            "%s AND COALESCE(RELEASE_LOCK(%s), 0) >= 0".formatted(release, NamedLocks.name(table, "lock_key"));

    /**
     * Locks the row. For a lease of which no answer came: deletes the one that this very attempt acquired, if it did. Late, twice
     * or no answer: no other attempt has that nonce.
     */
    final String abandon = "DELETE FROM %s WHERE lock_key = ? AND nonce = ?".formatted(table);

    UniqueKeySql(TablePrefix prefix) {
        super(prefix.of(Table.UNIQUE_KEY), RowNaming.KEYS);
    }

    @Override
    NamedLockQueue.Release releases() {
        return new NamedLockQueue.Release(release, releaseAndLeaveQueue, null);
    }

    /**
     * Returns how often a lease may be handed on: never unless its fence, which the counter gave, is the first of {@link Lease#TOKENS}, so that
     * none of the others is ever given. It is not if a proxy removed the comments of {@link #acquire}, or the server does not obey them.
     */
    static long mostHandoffs(long fence) {
        return fence % Lease.TOKENS == 1 ? Lease.MOST_HANDOFFS : 0;
    }
}
