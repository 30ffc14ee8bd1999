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
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Inserts the row of a key: with one statement if there is none. Only if that inserts nothing does it look why. */
record UniqueKeyAttempt(UniqueKeySql sql, LeaseRequest request) {
    private byte[] key() {
        return JdbcText.key(request.key());
    }

    Attempt run(Session session) throws SQLException {
        Optional<ExpiredLease> former = Optional.empty();
        for (int look = 1; look <= ExclusiveAttempt.MAX_LOOKS; look++) {
            Optional<Attempt> granted = acquire(session, former);
            if (granted.isPresent()) {
                return granted.get();
            }
            List<Optional<ExpiringRow>> seen = session.query(sql.look, UniqueKeyAttempt::rowIfAny, key(), key());
            Optional<ExpiringRow> row = seen.isEmpty() ? Optional.empty() : seen.get(0);
            if (seen.isEmpty()) {
                session.insertIfMissing(sql.createStripe, (Object) key());
            } else if (row.filter(ExpiringRow::isLive).isPresent()) {
                return new Attempt.Busy(row.map(ExpiringRow::holder));
            } else if (row.isPresent() && session.update(sql.deleteExpired, (Object) key()) == 1) {
                former = row.get().expired(request.key());
            }
        }
        return new Attempt.Busy(Optional.empty());
    }

    private Optional<Attempt> acquire(Session session, Optional<ExpiredLease> former) throws SQLException {
        try {
            OptionalLong number = session.updateReturning(
                    sql.acquire, key(), request.owner(), request.nonce(), micros(request.ttl()), key(), key());
            if (number.isEmpty()) {
                return Optional.empty();
            }
            long token = number.getAsLong();
            if (token < UniqueKeySql.LEAST_TOKEN) {
                token = session.updateReturning(sql.restartCounter, key(), request.owner(), token)
                        .orElseThrow();
            }
            Lease lease = new Lease(request.key(), LockMode.EXCLUSIVE, 0, token, request.owner());
            return Optional.of(new Attempt.Granted(lease, former, Optional.empty()));
        } catch (SQLException e) {
            SqlFailure.DUPLICATE.require(e);
            return Optional.empty();
        }
    }

    private static Optional<ExpiringRow> rowIfAny(ResultSet row) throws SQLException {
        return row.getString(1) == null ? Optional.empty() : Optional.of(ExpiringRow.of(row));
    }
}
