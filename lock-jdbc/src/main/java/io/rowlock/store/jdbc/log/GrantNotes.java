package io.rowlock.store.jdbc.log;

import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.jdbc.LockDatabase;
import io.rowlock.store.jdbc.Session;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What a store tells a log that must not miss a lease, if there is one. Thread-safe. */
public final class GrantNotes {
    private final String strategy;
    private final @Nullable SyncLockLog log;

    public GrantNotes(String strategy, @Nullable SyncLockLog log) {
        this.strategy = strategy;
        this.log = log;
    }

    /**
     * Runs a statement that takes a lease; with a log that must not miss it, in one transaction with its row. Nothing else
     * belongs in that transaction: what looks at a key and creates its rows locks them in other modes. A writer that has to
     * drain is not in yet.
     */
    public Optional<Attempt> attempt(Session session, LockDatabase.Work<Optional<Attempt>> taking, Duration waited)
            throws SQLException {
        return log == null ? taking.run(session) : log.noting(session, strategy, taking, GrantNotes::lease, waited);
    }

    private static Optional<Lease> lease(Optional<Attempt> attempt) {
        return attempt.filter(Attempt.Granted.class::isInstance).map(granted -> ((Attempt.Granted) granted).lease());
    }

    /** Like {@link #attempt}, for several statements. */
    public Optional<Attempt> attemptInTransaction(
            Session session, LockDatabase.Work<Optional<Attempt>> taking, Duration waited) throws SQLException {
        return log == null ? session.inTransaction(taking) : attempt(session, taking, waited);
    }

    /** Runs several statements that take a lease as one transaction. */
    public Optional<Lease> transaction(Session session, LockDatabase.Work<Optional<Lease>> taking, Duration waited)
            throws SQLException {
        return log == null
                ? session.inTransaction(taking)
                : log.noting(session, strategy, taking, Function.identity(), waited);
    }

    /** A lease ends. */
    public void releasing(Lease lease) {
        if (log != null) {
            log.releasing(strategy, lease);
        }
    }
}
