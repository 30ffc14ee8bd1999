package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.session.JdbcText.key;

import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore.ExpiredLease;
import io.rowlock.store.inspection.StoreInspection.Holder;
import io.rowlock.store.jdbc.session.Session;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Adds a reader or a permit to a key: with one statement if its gate is open and no other holder is in the way. Only if that
 * adds none does it look why.
 */
final class SharedAttempt {
    private final LeaseSql sql;
    private final LeaseRequest request;
    private final Newcomer newcomer;
    private final byte[] key;
    private Optional<ExpiredLease> former = Optional.empty();

    SharedAttempt(LeaseSql sql, LeaseRequest request, Newcomer newcomer) {
        this.sql = sql;
        this.request = request;
        this.newcomer = newcomer;
        this.key = key(request.key());
    }

    /** Adds a row to a key. */
    interface Newcomer {
        /** Adds the row, unless it is kept out. @return the token */
        OptionalLong enter(Session session) throws SQLException;

        /** Returns what keeps it out though the gate is open. */
        default Obstacle obstacle(Session session) throws SQLException {
            return Obstacle.NONE;
        }
    }

    /**
     * An obstacle that keeps a newcomer out.
     *
     * @param stays false if it is worth another attempt
     * @param holder the holder that leaves first, if one could be seen
     * @param removed a lease that had run out and is removed now, if one had
     */
    record Obstacle(boolean stays, Optional<Holder> holder, Optional<ExpiredLease> removed) {
        static final Obstacle NONE = new Obstacle(false, Optional.empty(), Optional.empty());
    }

    Attempt run(Session session) throws SQLException {
        for (int look = 1; look <= ExclusiveAttempt.MAX_LOOKS; look++) {
            Optional<Attempt> taken = take(session);
            if (taken.isPresent()) {
                return taken.get();
            }
            Optional<ExpiringRow> gate = ExclusiveAttempt.gate(session, sql, key);
            if (gate.isEmpty()) {
                session.insertIfMissing(sql.createGate, (Object) key); // open to readers
            } else if (!gate.get().shared()) {
                session.update(sql.markShared, (Object) key);
            } else if (gate.get().isLive()) {
                return new Attempt.Busy(gate.map(ExpiringRow::holder));
            } else if (gate.get().open()) {
                end(session, gate.get());
            } else {
                Obstacle obstacle = newcomer.obstacle(session);
                former = former.or(obstacle::removed);
                if (obstacle.stays()) {
                    return new Attempt.Busy(obstacle.holder());
                }
            }
        }
        return new Attempt.Busy(Optional.empty());
    }

    /** @see LeaseSql#endExpired */
    private void end(Session session, ExpiringRow expired) throws SQLException {
        if (session.update(sql.endExpired, key, expired.token()) == 1) {
            former = former.or(() -> expired.expired(request.key()));
        }
    }

    private Optional<Attempt> take(Session session) throws SQLException {
        OptionalLong token = newcomer.enter(session);
        if (token.isEmpty()) {
            return Optional.empty();
        }
        Lease lease = new Lease(request.key(), request.mode(), request.nonce(), token.getAsLong(), request.owner());
        return Optional.of(new Attempt.Granted(lease, former));
    }
}
