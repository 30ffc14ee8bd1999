package io.rowlock.autoconfigure.transaction;

import io.rowlock.store.CommitFencing;
import io.rowlock.store.Fence;
import java.util.Optional;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The checks of a strategy whose table is where the locks are. Transactions on any DataSource get one: only the row of a lease tells
 * whether they reach the table.
 *
 * @param strategy the strategy
 * @param fences makes the check of transactions on a DataSource; null if there is no store
 */
record LockTableFencing(String strategy, Function<DataSource, @Nullable Fence> fences) implements CommitFencing {
    @Override
    public Optional<Fence> fenceOn(@Nullable DataSource transactional) {
        return transactional == null ? Optional.empty() : Optional.ofNullable(fences.apply(transactional));
    }
}
