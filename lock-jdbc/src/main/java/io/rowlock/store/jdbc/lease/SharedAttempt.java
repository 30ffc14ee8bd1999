package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.JdbcText.key;
import static io.rowlock.store.jdbc.JdbcText.micros;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.jdbc.LockDatabase;
import io.rowlock.store.jdbc.Session;
import io.rowlock.store.jdbc.Writers;
import io.rowlock.store.jdbc.log.SyncLockLog;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Adds a reader to a key: with one statement if its gate is open to readers. Only if that adds none does it look why. */
final class SharedAttempt {
    private final LockDatabase database;
    private final LeaseSql sql;
    private final @Nullable SyncLockLog log;
    private final LeaseRequest request;
    private final byte[] key;

    SharedAttempt(LockDatabase database, LeaseSql sql, @Nullable SyncLockLog log, LeaseRequest request) {
        this.database = database;
        this.sql = sql;
        this.log = log;
        this.request = request;
        this.key = key(request.key());
    }

    Attempt run(Session session) throws SQLException {
        for (int look = 1; look <= ExclusiveAttempt.MAX_LOOKS; look++) {
            Optional<Attempt> taken = enter(session);
            if (taken.isPresent()) {
                return taken.get();
            }
            Optional<Gate> gate = Gate.find(session, sql, key);
            if (gate.isEmpty()) {
                Gate.create(session, sql, key, true);
            } else if (!gate.get().shared()) {
                session.update(sql.markShared, (Object) key);
            } else if (gate.get().isTaken()) {
                return new Attempt.Busy(gate.map(Gate::holder));
            }
        }
        return new Attempt.Busy(Optional.empty());
    }

    /** @see LeaseSql#touchGate */
    private Optional<Attempt> enter(Session session) throws SQLException {
        boolean oneWriter = database.writers(session) == Writers.ONE;
        LockDatabase.Work<Optional<Attempt>> taking = oneWriter ? this::take : this::touchAndTake;
        if (log != null) {
            return log.attempt(session, LeaseStore.NAME, taking, request.waited());
        }
        return oneWriter ? taking.run(session) : session.inTransaction(taking);
    }

    private Optional<Attempt> touchAndTake(Session transaction) throws SQLException {
        return transaction.update(sql.touchGate, (Object) key) == 0 ? Optional.empty() : take(transaction);
    }

    private Optional<Attempt> take(Session session) throws SQLException {
        OptionalLong token = session.updateReturning(
                sql.acquireShared, request.nonce(), request.owner(), micros(request.ttl()), key);
        if (token.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Attempt.Granted(
                new Lease(request.key(), LockMode.SHARED, request.nonce(), token.getAsLong(), request.owner())));
    }
}
