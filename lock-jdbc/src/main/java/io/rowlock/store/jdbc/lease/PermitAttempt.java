package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.session.JdbcText.micros;

import io.rowlock.store.Attempt;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.inspection.StoreInspection.Holder;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.SqlFailure;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Adds a permit to a key, if fewer than it and each of the others allows are there. */
final class PermitAttempt extends SharedAttempt {
    private final @Nullable NamedLockQueue queue;
    private boolean hasWaited;

    /** @param queue the queue that it must not overtake, or null if it may */
    PermitAttempt(LeaseSql sql, LeaseRequest request, @Nullable NamedLockQueue queue) {
        super(sql, request);
        this.queue = queue;
    }

    @Override
    OptionalLong enter(Session session) throws SQLException {
        Object[] row = {
            request.nonce(), request.owner(), micros(request.ttl()), request.permits(), key, request.permits()
        };
        return queue == null
                ? session.updateReturning(sql.acquirePermit, row)
                : queue.unlessQueued(session, sql.acquirePermitUnlessQueued, sql.acquirePermit, row);
    }

    /** Deletes the permits that have expired. */
    @Override
    Optional<Attempt> keptOut(Session session) throws SQLException {
        Optional<Holder> first = Optional.empty();
        boolean removed = false;
        for (ExpiringRow permit : session.query(sql.permits, ExpiringRow::of, (Object) key)) {
            if (permit.isLive()) {
                first = first.or(() -> Optional.of(permit.holder()));
            } else if (remove(session, permit)) {
                removed = true;
                former = former.or(() -> permit.expired(request.key()));
            }
        }
        return removed ? Optional.empty() : Optional.of(new Attempt.Busy(first));
    }

    /** Removes a permit. If an open transaction has checked it, it stays, and counts. An attempt has time to wait for one such transaction. */
    private boolean remove(Session session, ExpiringRow permit) throws SQLException {
        try {
            return session.update(sql.deleteExpiredReader, key, permit.slot()) == 1;
        } catch (SQLException e) {
            if (hasWaited || SqlFailure.of(e) != SqlFailure.ROW_LOCKED) {
                throw e;
            }
            hasWaited = true;
            return false;
        }
    }
}
