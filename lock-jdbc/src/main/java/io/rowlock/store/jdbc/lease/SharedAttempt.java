package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.session.JdbcText.key;
import static io.rowlock.store.jdbc.session.JdbcText.micros;

import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore.ExpiredLease;
import io.rowlock.store.jdbc.session.Session;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Adds a reader to a key: with one statement if its gate is open and no other holder is in the way. Only if that
 * adds none does it look why.
 */
class SharedAttempt {
    final LeaseSql sql;
    final LeaseRequest request;
    final byte[] key;

    /** A lease that had expired and is ended now, if one had. */
    Optional<ExpiredLease> former = Optional.empty();

    SharedAttempt(LeaseSql sql, LeaseRequest request) {
        this.sql = sql;
        this.request = request;
        this.key = key(request.key());
    }

    /** Adds the row, unless it is kept out. @return the token */
    OptionalLong enter(Session session) throws SQLException {
        return session.updateReturning(sql.acquireShared, request.nonce(), request.owner(), micros(request.ttl()), key);
    }

    /** Looks what keeps it out though the gate is open. @return empty if it is worth another attempt */
    Optional<Attempt> keptOut(Session session) throws SQLException {
        return Optional.empty();
    }

    final Attempt run(Session session) throws SQLException {
        for (int look = 1; look <= ExclusiveAttempt.MAX_LOOKS; look++) {
            Optional<Attempt> granted = acquire(session);
            if (granted.isPresent()) {
                return granted.get();
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
                Optional<Attempt> busy = keptOut(session);
                if (busy.isPresent()) {
                    return busy.get();
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

    private Optional<Attempt> acquire(Session session) throws SQLException {
        OptionalLong token = enter(session);
        if (token.isEmpty()) {
            return Optional.empty();
        }
        Lease lease = new Lease(request.key(), request.mode(), request.nonce(), token.getAsLong(), request.owner());
        return Optional.of(new Attempt.Granted(lease, former, Optional.empty()));
    }
}
