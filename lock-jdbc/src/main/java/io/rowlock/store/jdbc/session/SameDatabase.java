package io.rowlock.store.jdbc.session;

import io.rowlock.LockStoreException;
import java.time.Duration;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.BooleanSupplier;

/**
 * Tells by what the servers answer whether a connection leads to the database that keeps the locks: the connection locks an
 * unused row, and a session of locks finds that row locked, or does not. Thread-safe.
 */
public final class SameDatabase {
    /** After a fail-over, a name can lead to a copy of the tables. */
    static final Duration LONGEST_TRUST = Duration.ofSeconds(10);

    /** The clean-up can have a row just then. */
    private static final int MAX_TRIES = 3;

    final LockDatabase locks;
    private final TablePrefix prefix;
    private final long trustNanos;

    /** When each place was last proven to be on the database that keeps the locks. */
    private final Map<TransactionConnection.Place, Long> proven = new ConcurrentHashMap<>();

    /** Rows that no question uses at the moment; a transaction may still have one locked. */
    private final Deque<ProofRow> rows = new ConcurrentLinkedDeque<>();

    /**
     * @param locks where the locks are
     * @param prefix what the names of the tables begin with
     */
    public SameDatabase(LockDatabase locks, TablePrefix prefix) {
        this(locks, prefix, LONGEST_TRUST);
    }

    /** @param trust how long a place counts as proven */
    SameDatabase(LockDatabase locks, TablePrefix prefix, Duration trust) {
        this.locks = locks;
        this.prefix = prefix;
        this.trustNanos = trust.toNanos();
    }

    /**
     * Returns true if a transaction is on the database that keeps the locks. Asks the servers unless its place was proven a moment ago.
     *
     * @throws LockStoreException if one of the two connections could not be asked
     */
    public boolean covers(TransactionConnection transaction) {
        TransactionConnection.Place place = transaction.place();
        return place != null && (isProven(place) || isSame(transaction, place));
    }

    private boolean isProven(TransactionConnection.Place place) {
        Long since = proven.get(place);
        return since != null && System.nanoTime() - since < trustNanos;
    }

    /**
     * Asks a question about rows of the lock tables in a transaction that may be on another database, as those of a DataSource that
     * routes. If the rows are not found, the servers are asked where it is, because an address may have moved since.
     *
     * @param proves true if the rows are on the database that keeps the locks alone: where it was proven once, to find them is enough
     * @param question whether they are found
     * @return the answer; empty if the transaction is on another database
     * @throws LockStoreException if one of the two connections could not be asked
     */
    public Optional<Boolean> ask(TransactionConnection transaction, boolean proves, BooleanSupplier question) {
        TransactionConnection.Place place = transaction.place();
        if (place == null) {
            return Optional.of(question.getAsBoolean());
        }
        boolean known = proves ? proven.containsKey(place) : isProven(place);
        if (!known && !isSame(transaction, place)) {
            return Optional.empty();
        }
        boolean found = question.getAsBoolean();
        return !known || found || isSame(transaction, place) ? Optional.of(found) : Optional.empty();
    }

    // ---- what the servers say

    private boolean isSame(TransactionConnection transaction, TransactionConnection.Place place) {
        long now = System.nanoTime();
        boolean same = place.isMysql() && locksOurRow(transaction);
        if (same) {
            proven.put(place, now);
        } else {
            proven.remove(place);
        }
        return same;
    }

    /** Only a row that stays in the table proves something: one that was removed meanwhile is not found in either database. */
    private boolean locksOurRow(TransactionConnection transaction) {
        for (int i = 1; i <= MAX_TRIES; i++) {
            ProofRow row = unlocked();
            boolean found = finds(transaction, row);
            Optional<Boolean> locked = isLocked(row);
            rows.addFirst(row);
            if (locked.isPresent() && (found || !locked.get())) {
                return locked.get();
            }
        }
        throw new LockStoreException("It could not be proven where the transaction is: the rows for it vanish", null);
    }

    /** If the transaction met a lock, a server might roll it back (innodb_rollback_on_timeout). */
    private ProofRow unlocked() {
        ProofRow used = rows.pollFirst();
        Optional<Boolean> locked = used == null ? Optional.empty() : isLocked(used);
        if (used != null && locked.isPresent()) {
            if (!locked.get()) {
                return used;
            }
            rows.addLast(used);
        }
        ProofRow row = ProofRow.in(prefix);
        int unused = locks.callInTime(session -> session.update(row.insert()));
        return row;
    }

    /** Shared, because a transaction that may only read can lock a row so. */
    private static boolean finds(TransactionConnection transaction, ProofRow row) {
        try {
            return transaction
                    .call(session -> session.number(JdbcText.CURRENT + row.select("LOCK IN SHARE MODE")))
                    .isPresent();
        } catch (LockStoreException e) {
            if (SqlFailure.NO_TABLE.caused(e)) {
                return false;
            }
            throw e;
        }
    }

    /** A replica may find the row, but locks its own. @return empty if the row was removed */
    private Optional<Boolean> isLocked(ProofRow row) {
        try {
            return locks
                    .callInTime(session -> session.query(row.select("FOR UPDATE NOWAIT"), unlocked -> false))
                    .stream()
                    .findFirst();
        } catch (RowLockedException e) {
            return Optional.of(true);
        }
    }
}
