package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.session.JdbcText.key;
import static io.rowlock.store.jdbc.session.JdbcText.micros;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore.ExpiredLease;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.SqlFailure;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Acquires the gate of a key: with one statement if it is free. Only if that finds no free gate does it look why, and creates a gate that
 * is missing acquired.
 */
final class ExclusiveAttempt {
    /** A key can change hands between two looks at it; after that many it counts as busy. */
    static final int MAX_LOOKS = 3;

    private final LeaseSql sql;
    private final LeaseRequest request;
    private final byte[] key;

    ExclusiveAttempt(LeaseSql sql, LeaseRequest request) {
        this.sql = sql;
        this.request = request;
        this.key = key(request.key());
    }

    Attempt run(Session session) throws SQLException {
        for (int look = 1; look <= MAX_LOOKS; look++) {
            Optional<Attempt> taken = take(session);
            if (taken.isPresent()) {
                return taken.get();
            }
            Optional<ExpiringRow> gate = gate(session, sql, key);
            if (gate.filter(ExpiringRow::isLive).isPresent()) {
                return new Attempt.Busy(gate.map(ExpiringRow::holder));
            }
            taken = gate.isEmpty() ? create(session) : takeOver(session, gate.get());
            if (taken.isPresent()) {
                return taken.get();
            }
        }
        return new Attempt.Busy(Optional.empty());
    }

    private Optional<Attempt> take(Session session) throws SQLException {
        return taken(
                session.updateReturning(
                        sql.acquireExclusive, request.owner(), request.nonce(), micros(request.ttl()), key),
                Optional.empty());
    }

    private Optional<Attempt> takeOver(Session session, ExpiringRow expired) throws SQLException {
        return taken(
                session.updateReturning(
                        sql.takeOver, request.owner(), request.nonce(), micros(request.ttl()), key, expired.token()),
                expired.expired(request.key()));
    }

    /** Creates the gate acquired, unless another attempt has created it meanwhile. */
    private Optional<Attempt> create(Session session) throws SQLException {
        try {
            return taken(
                    session.updateReturning(
                            sql.createAcquired, key, request.owner(), request.nonce(), micros(request.ttl())),
                    Optional.empty());
        } catch (SQLException e) {
            SqlFailure.DUPLICATE.require(e);
            return Optional.empty();
        }
    }

    /** Looks for the gate of a key. */
    static Optional<ExpiringRow> gate(Session session, LeaseSql sql, byte[] key) throws SQLException {
        return session.query(sql.gate, ExpiringRow::of, (Object) key).stream().findFirst();
    }

    private Optional<Attempt> taken(OptionalLong answer, Optional<ExpiredLease> former) {
        if (answer.isEmpty()) {
            return Optional.empty();
        }
        long fence = answer.getAsLong() >> 1;
        boolean hasHadReaders = (answer.getAsLong() & 1) == 1;
        return Optional.of(taken(request, fence, hasHadReaders, former));
    }

    /** The gate was taken for a request. */
    static Attempt taken(LeaseRequest request, long fence, boolean hasHadReaders, Optional<ExpiredLease> former) {
        Lease lease = new Lease(request.key(), LockMode.EXCLUSIVE, 0, fence, request.owner());
        return hasHadReaders ? new Attempt.Draining(lease, former) : new Attempt.Granted(lease, former);
    }
}
