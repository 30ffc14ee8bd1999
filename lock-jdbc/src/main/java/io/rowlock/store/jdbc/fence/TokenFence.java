package io.rowlock.store.jdbc.fence;

import static io.rowlock.store.jdbc.session.JdbcText.key;

import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.store.Backoff;
import io.rowlock.store.CommitCheck;
import io.rowlock.store.Lease;
import io.rowlock.store.UncertainOutcomeException;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.RowLockedException;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.jdbc.session.TransactionConnection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.ObjLongConsumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The fence of strategies that keep their locks outside of the database: a row for each key has the greatest token that a transaction
 * here has relied on. A transaction locks the row and raises the token to its own. It is refused if it finds a greater one: the
 * key was granted anew, and a transaction under the later lock was here first. Otherwise transactions under later locks wait for
 * the end of this one, and then read what it has written.
 *
 * <p>Readers, and threads that rely on a lock of another thread, must not wait for each other, so they share the row lock. As a row
 * lock that is shared cannot become an exclusive one without a deadlock, a connection of its own raises the token before.
 * A transaction of the holder itself has the row for itself: beside those of other threads it waits for them, and those that
 * come meanwhile wait behind it, for a query time-out at most. To share the row, too, it would need one more statement.
 * Where several servers accept writes, every transaction writes the row, because only what was written counts there.
 *
 * <p>Thread-safe.
 *
 * @param transaction the one that is checked
 * @param database connections to the same database for single statements; a check may take as long as one of them
 * @param sql what is sent
 * @param traits without that of a lease that is protected: the lease itself is elsewhere
 * @param overtaken is notified of each lease whose token is smaller than the greatest one that was seen, with that. The lease, which its
 *     holder will not use any more, may have been overtaken; or its server has lost its data and its clock is behind, so that it would
 *     grant smaller tokens than before until the clock has caught up. A {@link LockStoreException} says that nothing could be done about
 *     it; then the next lease that is found so is one more occasion
 */
public record TokenFence(
        TransactionConnection transaction,
        LockDatabase database,
        FenceSql sql,
        Set<Trait> traits,
        ObjLongConsumer<Lease> overtaken)
        implements CommitCheck {
    private static final Logger log = LoggerFactory.getLogger(TokenFence.class);
    private static final Duration PAUSE = Duration.ofMillis(2);

    /**
     * @param dataSource the one the transaction manager works on
     * @param database connections to the same database for single statements; a check may take as long as one of them
     * @param prefix what the table's name begins with
     * @param atBegin whether leases are checked as soon as a transaction relies on them, which is what makes successors read what it
     *     wrote; else right before the commit
     * @param overtaken as the record says
     */
    public TokenFence(
            DataSource dataSource,
            LockDatabase database,
            TablePrefix prefix,
            boolean atBegin,
            ObjLongConsumer<Lease> overtaken) {
        this(
                new TransactionConnection(dataSource, database.queryTimeout()),
                database,
                new FenceSql(prefix),
                atBegin ? Set.of(Trait.AT_BEGIN) : Set.of(),
                overtaken);
    }

    @Override
    public CommitCheck pinned() {
        return new TokenFence(transaction.pinned(), database, sql, traits, overtaken);
    }

    @Override
    public boolean isHeld(Lease lease) {
        boolean shared = lease.mode() != LockMode.EXCLUSIVE;
        long seen;
        try {
            if (shared) {
                note(lease);
            }
            seen = transaction.call(session -> shared ? shared(session, lease) : raised(session, lease));
        } catch (RowLockedException | UncertainOutcomeException e) {
            throw locked(lease, e);
        }
        if (seen > lease.fence()) {
            report(lease, seen);
        }
        return seen <= lease.fence();
    }

    private void report(Lease former, long seen) {
        try {
            overtaken.accept(former, seen);
        } catch (LockStoreException e) {
            log.debug("The token {} was not raised", seen, e);
        }
    }

    private static LockStoreException locked(Lease lease, @Nullable LockStoreException cause) {
        return new LockStoreException(
                "The transaction could not note the token of the lock \"%s\" in time, perhaps because a transaction of a former holder is still open%s"
                        .formatted(Printable.of(lease.key()), cause == null ? "" : " (" + cause.getMessage() + ")"),
                cause);
    }

    private long raised(Session session, Lease lease) throws SQLException {
        if (session.update(sql.raise, noting(lease)) == FenceSql.CHANGED) {
            return lease.fence();
        }
        return session.number(sql.raised, (Object) key(lease.key()))
                .orElseThrow(() -> new SQLException(
                        "No token was noted for the lock \"%s\"".formatted(Printable.of(lease.key()))));
    }

    private static Object[] noting(Lease lease) {
        return new Object[] {key(lease.key()), lease.fence(), lease.fence(), lease.fence()};
    }

    /** A token that is gone, though it was noted a moment ago, is noted here: readers may have to wait for this one then. */
    private long shared(Session session, Lease lease) throws SQLException {
        long seen = session.number(sql.share, (Object) key(lease.key())).orElse(Long.MIN_VALUE);
        return seen < lease.fence() ? raised(session, lease) : seen;
    }

    // ---- noting a token before it is shared

    /** A transaction that has the row locked may share it, and has noted the token then; else this one waits until the other has ended. */
    private void note(Lease lease) {
        long end = System.nanoTime() + database.queryTimeout().toNanos();
        while (!isNoted(lease) && !noteNow(lease)) {
            if (System.nanoTime() - end >= 0) {
                throw locked(lease, null);
            }
            Backoff.pauseUninterrupted(PAUSE);
        }
    }

    private boolean isNoted(Lease lease) {
        OptionalLong seen = database.callInTime(session -> session.number(sql.seen, (Object) key(lease.key())));
        return seen.orElse(Long.MIN_VALUE) >= lease.fence();
    }

    private boolean noteNow(Lease lease) {
        try {
            return database.callInTime(session -> session.inTransaction(own -> {
                OptionalLong unused = own.number(sql.lockNow, (Object) key(lease.key()));
                return own.update(sql.raise, noting(lease)) > 0;
            }));
        } catch (RowLockedException e) {
            return false;
        }
    }
}
