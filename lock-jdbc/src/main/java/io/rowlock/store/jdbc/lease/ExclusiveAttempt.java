package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.session.JdbcText.micros;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore.ExpiredLease;
import io.rowlock.store.jdbc.session.JdbcText;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.SqlFailure;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Acquires the gate of a key: with one statement if it is free. If there is none, it is created acquired; only if it was not released a
 * look follows.
 */
record ExclusiveAttempt(LeaseSql sql, LeaseRequest request) {
    /** A key can change hands between two looks at it; after that many it counts as busy. */
    static final int MAX_LOOKS = 3;

    private byte[] key() {
        return JdbcText.key(request.key());
    }

    Attempt run(Session session) throws SQLException {
        for (int look = 1; look <= MAX_LOOKS; look++) {
            OptionalLong answer = session.updateReturning(
                    sql.acquireExclusive, request.owner(), request.nonce(), micros(request.ttl()), key());
            Optional<Attempt> attempt = answer.isEmpty()
                    ? create(session)
                    : answer.getAsLong() == LeaseSql.NOT_RELEASED ? look(session) : granted(answer, Optional.empty());
            if (attempt.isPresent()) {
                return attempt.get();
            }
        }
        return new Attempt.Busy(Optional.empty());
    }

    /** Looks who has the gate, and takes it over if it has expired. @return empty if it has changed hands meanwhile */
    private Optional<Attempt> look(Session session) throws SQLException {
        Optional<ExpiringRow> gate = gate(session, sql, key());
        if (gate.isEmpty() || gate.get().isLive()) {
            return gate.map(live -> new Attempt.Busy(Optional.of(live.holder())));
        }
        ExpiringRow expired = gate.get();
        return granted(
                session.updateReturning(
                        sql.takeOver, request.owner(), request.nonce(), micros(request.ttl()), key(), expired.token()),
                expired.expired(request.key()));
    }

    /** Creates the gate acquired. Another attempt may have created it meanwhile, and a driver need not count a row that stays as it is. */
    private Optional<Attempt> create(Session session) throws SQLException {
        try {
            return granted(
                    session.updateReturning(
                            sql.createAcquired, key(), request.owner(), request.nonce(), micros(request.ttl())),
                    Optional.empty());
        } catch (SQLException e) {
            SqlFailure.DUPLICATE.require(e);
            return look(session);
        }
    }

    /** Looks for the gate of a key. */
    static Optional<ExpiringRow> gate(Session session, LeaseSql sql, byte[] key) throws SQLException {
        return session.query(sql.gate, ExpiringRow::of, (Object) key).stream().findFirst();
    }

    private Optional<Attempt> granted(OptionalLong answer, Optional<ExpiredLease> former) {
        if (answer.isEmpty()) {
            return Optional.empty();
        }
        long fence = answer.getAsLong() >> 1;
        boolean hasHadReaders = (answer.getAsLong() & 1) == 1;
        return Optional.of(granted(request, fence, hasHadReaders, former));
    }

    /** Returns the grant of a gate that was acquired for a request. */
    static Attempt granted(LeaseRequest request, long fence, boolean hasHadReaders, Optional<ExpiredLease> former) {
        Lease lease = new Lease(request.key(), LockMode.EXCLUSIVE, 0, fence, request.owner());
        return hasHadReaders
                ? new Attempt.Draining(lease, former, Optional.empty())
                : new Attempt.Granted(lease, former, Optional.empty());
    }
}
