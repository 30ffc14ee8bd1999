package io.rowlock.autoconfigure.transaction;

import io.rowlock.LockStoreException;
import io.rowlock.store.CommitCheck;
import io.rowlock.store.jdbc.fence.TokenFence;
import io.rowlock.store.jdbc.session.SameDatabase;
import java.util.Optional;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checks of a strategy that keeps its locks outside of the database, in a table beside the lock tables.
 *
 * @param strategy the strategy
 * @param fences makes the check of transactions on a DataSource; null if there is to be none
 * @param startsWithoutTables whether the application starts even if transactions cannot be checked yet
 */
record TokenFencing(String strategy, Function<DataSource, @Nullable TokenFence> fences, boolean startsWithoutTables) {
    private static final Logger log = LoggerFactory.getLogger(TokenFencing.class);

    /**
     * Makes the check of transactions on a DataSource.
     *
     * @param answer where it leads
     * @throws LockStoreException if the table is missing, or the right to it
     */
    Optional<CommitCheck> checkOn(@Nullable DataSource transactional, SameDatabase.Answer answer) {
        if (transactional == null) {
            return Optional.empty();
        }
        TokenFence fence = fences.apply(transactional);
        if (fence != null && answer == SameDatabase.Answer.SAME) {
            requireUsable(fence);
        }
        return Optional.ofNullable(fence);
    }

    private void requireUsable(TokenFence fence) {
        try {
            fence.requireUsable();
        } catch (LockStoreException e) {
            if (!startsWithoutTables) {
                throw e;
            }
            log.warn(
                    "No transaction under a lock of strategy {} can commit at the moment: {}",
                    strategy,
                    e.getMessage());
        }
    }
}
