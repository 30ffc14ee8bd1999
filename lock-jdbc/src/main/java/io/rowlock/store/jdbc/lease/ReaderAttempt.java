package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.session.JdbcText.key;
import static io.rowlock.store.jdbc.session.JdbcText.micros;

import io.rowlock.store.LeaseRequest;
import io.rowlock.store.jdbc.session.Session;
import java.sql.SQLException;
import java.util.OptionalLong;

/** Adds a reader to a key, which other readers are not in the way of. */
record ReaderAttempt(LeaseSql sql, LeaseRequest request) implements SharedAttempt.Newcomer {
    @Override
    public OptionalLong enter(Session session) throws SQLException {
        return session.updateReturning(
                sql.acquireShared, request.nonce(), request.owner(), micros(request.ttl()), key(request.key()));
    }
}
