package io.rowlock.store.jdbc.rowlock;

import io.rowlock.store.Attempt;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.jdbc.JdbcText;
import io.rowlock.store.jdbc.RowLockedException;
import io.rowlock.store.jdbc.TimeLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Takes one of several keys on a connection, and no other. One statement finds a free gate and locks it, skipping those that
 * are locked. The barrier has to be passed after that, on MySQL by one statement more: a barrier that is closed must be
 * noticed, not skipped. Used by one thread.
 */
final class AnyKeyRowLock {
    private final RowLockAttempts attempts;
    private final RowLockConnection connection;
    private final TimeLimit limit;

    /** @param connection without a transaction */
    AnyKeyRowLock(RowLockAttempts attempts, RowLockConnection connection, TimeLimit limit) {
        this.attempts = attempts;
        this.connection = connection;
        this.limit = limit;
    }

    /** A holder that keeps a barrier closed is about to commit, but until then that key counts as taken. */
    Attempt oneOf(List<LeaseRequest> requests) {
        List<LeaseRequest> left = new ArrayList<>(requests);
        Attempt attempt = new Attempt.Busy(Optional.empty());
        while (!left.isEmpty()) {
            Optional<RowLockConnection.Free> free = firstFree(left);
            if (free.isEmpty()) {
                return attempt;
            }
            attempt = take(left.remove(free.get().place()), free.get().token());
            if (attempt instanceof Attempt.Granted) {
                return attempt;
            }
            unlock();
        }
        return attempt;
    }

    private Optional<RowLockConnection.Free> firstFree(List<LeaseRequest> requests) {
        List<byte[]> keys =
                requests.stream().map(request -> JdbcText.key(request.key())).toList();
        return RowLockAttempts.call(connection, () -> {
            attempts.prepare(connection, requests.get(0), limit);
            return connection.takeAny(keys);
        });
    }

    /** @param token empty if the key has no rows yet, else its gate is locked */
    private Attempt take(LeaseRequest request, OptionalLong token) {
        if (token.isEmpty() || connection.passesAtOnce()) {
            return attempts.takeOrCreate(connection, request, limit);
        }
        try {
            return attempts.pastTheBarrier(connection, request, token.getAsLong());
        } catch (RowLockedException e) {
            return new Attempt.Busy(Optional.empty());
        }
    }

    private void unlock() {
        boolean unused = RowLockAttempts.call(connection, () -> {
            connection.rollback();
            return true;
        });
    }
}
