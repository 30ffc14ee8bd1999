package io.rowlock.autoconfigure.transaction;

import io.rowlock.autoconfigure.datasource.LockDataSource;
import io.rowlock.store.CommitFencing;
import io.rowlock.store.Fence;
import java.util.Optional;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The checks of a strategy whose table is where the locks are.
 *
 * @param strategy the strategy
 * @param locks where its table is
 * @param fences makes the check of transactions on a DataSource that leads there, too; null if there is no store
 */
public record LockTableFencing(String strategy, LockDataSource locks, Function<DataSource, @Nullable Fence> fences)
        implements CommitFencing {
    @Override
    public Optional<Fence> fenceOn(@Nullable DataSource transactional) {
        return transactional != null && locks.sameDatabase(transactional)
                ? Optional.ofNullable(fences.apply(transactional))
                : Optional.empty();
    }
}
