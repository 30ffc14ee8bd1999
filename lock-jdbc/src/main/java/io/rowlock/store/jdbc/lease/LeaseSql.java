package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.session.JdbcText.MICROS;
import static io.rowlock.store.jdbc.session.JdbcText.NOW;

import io.rowlock.LockRequest;
import io.rowlock.store.Lease;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.jdbc.session.TablePrefix.Table;

/**
 * The statements of strategy {@code lease}. All run under READ COMMITTED in autocommit mode, so each holds its row locks
 * only while it runs, and each names its rows by primary key, so it locks these rows and no gap.
 *
 * <p>Times are the server's, in UTC. UTC_TIMESTAMP is frozen when a statement starts: one that waited for a row lock
 * decides by the time at which it was sent, which is why the client counts an answer only if it arrived in time.
 *
 * <p>Any of them may arrive late, after its sender has given up, and any answer may be lost. So each that writes names
 * what it writes to: by the lease's token or slot, by the attempt's nonce, or by a condition that is as good later.
 */
final class LeaseSql extends ExpiringRowSql {
    private static final String ACQUIRE = """
            UPDATE %1$s
            SET owner = IF(%2$s, ?, owner), nonce = IF(%2$s, ?, nonce),
                fence = IF(%2$s, LAST_INSERT_ID(GREATEST(fence + %3$s, %4$s) * 2 + shared) DIV 2, fence + LAST_INSERT_ID(%6$s) - %6$s),
                acquired_at = IF(%2$s, %5$s, acquired_at), expires_at = IF(%2$s, %5$s + INTERVAL ? MICROSECOND, expires_at)
            WHERE lock_key = ? AND slot = 0""";

    private static final String RELEASE = """
            UPDATE %s SET expires_at = '1970-01-01', owner = %s
            WHERE lock_key = ? AND slot = 0 AND fence = ? AND expires_at > '1970-01-01'""";

    /**
     * Share-locks the floor, then locks the new gate row, which is open to readers. Fails with a duplicate if it exists. Waits for a
     * transaction that removes gates, so that a gate made again starts above every token that was ever given for its key. Works without
     * the floor, too, should the table have been emptied. Late: a duplicate, or a free gate that is not needed, for the
     * clean-up. No answer: the next attempt finds out.
     */
    final String createGate = """
            INSERT INTO %1$s (lock_key, slot, shared, owner, fence, acquired_at, expires_at)
            SELECT ?, 0, 1, '', GREATEST(COALESCE(MAX(fence), 0), %2$s), %3$s, '1970-01-01'
            FROM %1$s WHERE lock_key = '' AND slot = 0
            LOCK IN SHARE MODE""".formatted(table, MICROS, NOW);

    /**
     * Creates the gate as {@link #createGate} does, but acquired already, as {@link #acquireExclusive} would leave it. The floor is no
     * smaller than the fence of any gate that was removed, and the new fence leaves out all {@link Lease#TOKENS} of that lease. No
     * reader can be inside, since none enters before there is a gate. Late: a duplicate, or a lease that no process knows of, as is
     * one without an answer: it has the attempt's nonce, so {@link #abandonExclusive} ends it, or its ttl. Twice: a duplicate.
     */
    final String createAcquired = """
            INSERT INTO %1$s (lock_key, slot, shared, owner, nonce, fence, acquired_at, expires_at)
            SELECT ?, 0, 0, ?, ?, LAST_INSERT_ID((GREATEST(COALESCE(MAX(fence), 0), %2$s) + %4$s) * 2) DIV 2,
                   %3$s, %3$s + INTERVAL ? MICROSECOND
            FROM %1$s WHERE lock_key = '' AND slot = 0
            LOCK IN SHARE MODE""".formatted(table, MICROS, NOW, Lease.TOKENS);

    /** The answer of {@link #acquireExclusive} that it has changed nothing, as the last lease was not released. */
    static final long NOT_RELEASED = 1;

    /**
     * Locks the gate row. Acquires it only if its last lease was released, and the row lock lets one do that at a time. The
     * new fence leaves out all {@link Lease#TOKENS} of the lease before, however many of them it used. The answer carries twice
     * the fence, plus one if the key has ever had readers; or {@link #NOT_RELEASED}, and then the row stays as it was; a key without a
     * gate has no answer. The expiry, which all others look at, is assigned last. Late or no answer: it may acquire a lease that no
     * process knows of, under its nonce; {@link #abandonExclusive} ends that, or its ttl.
     */
    final String acquireExclusive =
            ACQUIRE.formatted(table, "expires_at = '1970-01-01'", Lease.TOKENS, MICROS, NOW, NOT_RELEASED);

    /**
     * Like {@link #acquireExclusive}, for a gate whose last lease expired without having been released. Takes it over only from
     * the lease that was seen in it, so that the new holder knows the former one. Late: nothing, if another attempt was quicker.
     */
    final String takeOver = ACQUIRE.formatted(table, "TRUE", Lease.TOKENS, MICROS, NOW, NOT_RELEASED)
            + " AND expires_at <= %s AND fence = ?".formatted(NOW);

    /**
     * Share-locks the gate row, so it waits for a writer whose UPDATE is not committed, and inserts a row of the reader's
     * own, whose slot is the attempt's nonce. Enters only if the last lease of the gate was ended; one that expired is {@linkplain
     * #endExpired ended} first. Readers do not wait for each other. The answer carries the fence, which is the last
     * token of the lease that the gate had before: that lease never hands it out, and the next begins above it. Late or no
     * answer: it may add a reader that no process knows of; {@link #releaseShared} ends that, or its ttl.
     */
    final String acquireShared = """
            INSERT INTO %1$s (lock_key, slot, shared, owner, fence, acquired_at, expires_at)
            SELECT lock_key, ?, 0, ?, LAST_INSERT_ID(fence + %3$s), %2$s, %2$s + INTERVAL ? MICROSECOND
            FROM %1$s
            WHERE lock_key = ? AND slot = 0 AND shared = 1 AND expires_at = '1970-01-01'
            LOCK IN SHARE MODE""".formatted(table, NOW, Lease.TOKENS - 1);

    /**
     * Locks the gate row, then share-locks the rows of the key's permits, and inserts a row of the permit's own, as
     * {@link #acquireShared} does. The gate row lets one do that at a time: each counts, with a locking read, the permits that
     * were committed before it, and inserts none beyond the least number that it or one of them allows. It waits for a release
     * that is not committed. It counts those that have expired as well, as a transaction may have passed its fence check as such
     * a holder: they are {@linkplain #deleteExpiredReader deleted} first. It finds the rows by the key alone: a range of slots would
     * lock the row behind it, which is another key's, and a server that may choose reads all rows of a small table. Late or no answer: as for a reader.
     */
    final String acquirePermit = """
            INSERT INTO %1$s (lock_key, slot, shared, owner, fence, acquired_at, expires_at, permits)
            SELECT g.lock_key, ?, 0, ?, LAST_INSERT_ID(g.fence + %3$s), %2$s, %2$s + INTERVAL ? MICROSECOND, ?
            FROM %1$s g
            WHERE g.lock_key = ? AND g.slot = 0 AND g.shared = 1 AND g.expires_at = '1970-01-01'
              AND (SELECT COUNT(*) < LEAST(?, COALESCE(MIN(p.permits), %4$s)) FROM %1$s p FORCE INDEX (PRIMARY)
                   WHERE p.lock_key = g.lock_key AND p.permits > 0
                   LOCK IN SHARE MODE)
            FOR UPDATE""".formatted(table, NOW, Lease.TOKENS - 1, LockRequest.MAX_PERMITS);

    /**
     * Like {@link #acquirePermit}, unless others wait in the queue of the key: permits are released without a word to the queue, so
     * this is what keeps newcomers from overtaking it.
     */
    final String acquirePermitUnlessQueued = acquirePermit.replace(
            "FOR UPDATE", "AND IS_FREE_LOCK(%s) = 1 FOR UPDATE".formatted(NamedLocks.name(table, "g.lock_key")));

    /** Locks nothing. The permits of a key, whether or not they have expired; first those that end first. */
    final String permits = "SELECT %s FROM %s WHERE lock_key = ? AND slot > 0 AND permits > 0 ORDER BY expires_at"
            .formatted(row, table);

    /**
     * Locks the gate row. Until it is marked, no reader gets in, and a writer that finds it marked drains. Late or no answer:
     * the mark stays for good anyway.
     */
    final String markShared =
            "UPDATE %s SET shared = 1 WHERE lock_key = ? AND slot = 0 AND shared = 0".formatted(table);

    /**
     * Locks the gate row. Comes before a reader or permit that finds an expired lease there. Its holder finds it gone then, when it
     * renews it or commits, even if the clock was set back. Late: the token names
     * the lease, and nothing happens if it was renewed. No answer: the next attempt finds out.
     */
    final String endExpired = """
            UPDATE %s SET expires_at = '1970-01-01', owner = ''
            WHERE lock_key = ? AND slot = 0 AND fence = ? AND expires_at <= %s AND expires_at > '1970-01-01'""".formatted(table, NOW);

    /** Locks nothing. With the token, how long the last lease was held at most, and whether it is still to be ended. */
    final String gate = "SELECT %s FROM %s WHERE lock_key = ? AND slot = 0".formatted(row, table);

    /**
     * Locks nothing. The gate and the readers that stand in a writer's way, whether or not they have expired, as {@link #gate}
     * shows them. A server that shows the writer's lease in the gate has every reader that came before it, too.
     */
    final String readers = "SELECT %s FROM %s WHERE lock_key = ? AND slot >= 0".formatted(row, table);

    /**
     * Locks one reader's row. Waits for a transaction that has passed its fence check as that reader; counting live
     * readers instead would let the writer in beside it. Late or no answer: it removes only what has expired.
     */
    final String deleteExpiredReader =
            "DELETE FROM %s WHERE lock_key = ? AND slot = ? AND expires_at <= %s".formatted(table, NOW);

    /**
     * Locks the gate row. The token names the lease: another one's is never released, so it may come late, and twice, and is
     * sent again if no answer came. The token stays in the row, so the expiry shows that a lease was released before; drivers differ in
     * whether they count a row that was updated to what it was.
     */
    final String releaseExclusive = RELEASE.formatted(table, "''");

    /**
     * Like {@link #releaseExclusive}, and lets the next waiter through while it still locks the gate row: that waiter's
     * statement waits for the row lock and comes right after. Late: it lets no waiter through, as it finds no row.
     */
    final String releaseAndLeaveQueue =
            RELEASE.formatted(table, "IF(RELEASE_LOCK(%s), '', '')".formatted(NamedLocks.name(table, "lock_key")));

    /** Like {@link #releaseExclusive}. The answer says whether others wait in the queue. */
    final String releaseAndAskForWaiters = RELEASE.formatted(
            table,
            "IF(LAST_INSERT_ID(IF(IS_FREE_LOCK(%s), %s, %s)) > 0, '', '')"
                    .formatted(NamedLocks.name(table, "lock_key"), NamedLockQueue.FREE, NamedLockQueue.IN_USE));

    /**
     * Locks the gate row. Opens it to readers only, if the lease still lasts; part of a downgrade. The transaction keeps the row
     * locked, so a downgrade that is asked for again waits until it is known what became of the first. Late or no answer: it
     * is rolled back with its connection, since no COMMIT follows.
     */
    final String reopenForReaders = """
            UPDATE %s SET shared = 1, expires_at = '1970-01-01', owner = ''
            WHERE lock_key = ? AND slot = 0 AND fence = ? AND expires_at > %s""".formatted(table, NOW);

    /**
     * Locks the new row, whose slot is the request's nonce. The second half of a downgrade, with the gate still locked by the
     * first. If no answer to the COMMIT came, {@link #live} shows whether it was carried out.
     */
    final String insertReader = """
            INSERT INTO %s (lock_key, slot, shared, owner, fence, acquired_at, expires_at)
            VALUES (?, ?, 0, ?, ?, %2$s, %2$s + INTERVAL ? MICROSECOND)""".formatted(table, NOW);

    /** Locks one reader's row. The slot names the lease, and the attempt, so it may come late, and twice. */
    final String releaseShared = "DELETE FROM %s WHERE lock_key = ? AND slot = ?".formatted(table);

    /**
     * Locks the gate row. For a lease of which no answer came: ends the one that this very attempt acquired, if it did, expired or
     * not, so that it is not mistaken for one whose holder died. Late, twice or no answer: no other attempt has that nonce.
     */
    final String abandonExclusive = """
            UPDATE %s SET expires_at = '1970-01-01', owner = ''
            WHERE lock_key = ? AND slot = 0 AND nonce = ? AND expires_at > '1970-01-01'""".formatted(table);

    LeaseSql(TablePrefix prefix) {
        super(prefix.of(Table.LOCK), RowNaming.SLOTS);
    }

    @Override
    NamedLockQueue.Release releases() {
        return new NamedLockQueue.Release(releaseExclusive, releaseAndLeaveQueue, releaseAndAskForWaiters);
    }
}
