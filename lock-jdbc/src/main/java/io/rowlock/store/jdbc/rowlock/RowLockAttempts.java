package io.rowlock.store.jdbc.rowlock;

import static io.rowlock.store.jdbc.session.JdbcText.key;

import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.RowLockedException;
import io.rowlock.store.jdbc.session.SqlFailure;
import io.rowlock.store.jdbc.session.TimeLimit;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acquires a key on a connection: its gate, then past its barrier. Thread-safe.
 *
 * @param database where another connection passes the barrier
 * @param onGranted keeps what was acquired
 */
record RowLockAttempts(LockDatabase database, NewRows rows, Consumer<HeldRowLock> onGranted) {
    private static final Logger log = LoggerFactory.getLogger(RowLockAttempts.class);

    /** Between a look and the next, the rows of a key can be created or removed. */
    private static final int MAX_LOOKS = 3;

    /**
     * The transaction that creates the rows has them locked until all others see them. A writer that meets them so is rightly
     * refused, since it came later; a reader may enter as soon as they are created, so it looks again.
     */
    Attempt acquireOrCreate(RowLockConnection connection, LeaseRequest request, TimeLimit limit) {
        for (int look = 1; look <= MAX_LOOKS; look++) {
            Optional<Attempt> attempt = acquire(connection, request, limit);
            boolean again =
                    look == 1 && request.mode() == LockMode.SHARED && attempt.orElse(null) instanceof Attempt.Busy;
            if (attempt.isPresent() && !again) {
                return attempt.get();
            }
            rows.create(request.key());
        }
        throw new LockStoreException(
                "The rows of the key \"%s\" vanish again and again".formatted(request.key()), null);
    }

    /**
     * Tries once to acquire the key on a connection, which belongs to the lease if it is granted; if busy it may have the gate.
     *
     * @return empty if the key has no rows
     * @throws LockStoreException the connection is then of no use any more, and is to be returned
     */
    Optional<Attempt> acquire(RowLockConnection connection, LeaseRequest request, TimeLimit limit) {
        try {
            OptionalLong token = token(connection, request, limit);
            return token.isEmpty()
                    ? Optional.empty()
                    : Optional.of(pastTheBarrier(connection, request, token.getAsLong()));
        } catch (RowLockedException e) {
            return Optional.of(new Attempt.Busy(Optional.empty()));
        }
    }

    /** Locks the gate. A statement without an answer may still acquire the key, so its connection ends. */
    private OptionalLong token(RowLockConnection connection, LeaseRequest request, TimeLimit limit) {
        try {
            connection.within(RowLockStore.shorter(database.queryTimeout(), limit.forAnswer()));
            connection.endAfterSilenceOf(LockDatabase.wholeSeconds(request.ttl()));
            return connection.acquire(request.mode(), key(request.key()));
        } catch (SQLException e) {
            SqlFailure failure = SqlFailure.of(e);
            if (failure == SqlFailure.NO_ANSWER) {
                connection.discard();
            }
            throw failure.exception(e);
        }
    }

    /** With the gate locked, and the barrier passed unless another connection has to do that. */
    private Attempt pastTheBarrier(RowLockConnection connection, LeaseRequest request, long token) {
        boolean passed = connection
                .pass(request.mode())
                .map(pass -> database.call(session ->
                        session.number(pass, (Object) key(request.key())).isPresent()))
                .orElse(true);
        return passed ? granted(connection, request, token) : new Attempt.Busy(Optional.empty());
    }

    /**
     * Ends a session on the server whose connection is closed, so that it leaves the queue at once and not when its wait is over. Late or
     * twice: the server gives its number to no other session, and one that was started since ends none. No answer: it leaves the queue
     * later.
     *
     * @throws LockStoreException if no answer came
     */
    void endSession(String kill) {
        try {
            int unused = database.callInTime(session -> session.update(kill));
        } catch (LockStoreException e) {
            if (!(e.getCause() instanceof SQLException error) || !SqlFailure.isAnswer(error)) {
                throw e;
            }
            log.debug("The session of a waiter that left has ended: {}", kill, e);
        }
    }

    private Attempt granted(RowLockConnection connection, LeaseRequest request, long token) {
        long slot = request.mode() == LockMode.EXCLUSIVE ? 0 : connection.id();
        Lease lease = new Lease(request.key(), request.mode(), slot, token, request.owner());
        onGranted.accept(new HeldRowLock(lease, request.nonce(), connection));
        return new Attempt.Granted(lease, Optional.empty(), Optional.empty());
    }
}
