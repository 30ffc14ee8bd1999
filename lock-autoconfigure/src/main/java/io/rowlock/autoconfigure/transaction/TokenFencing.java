package io.rowlock.autoconfigure.transaction;

import io.rowlock.store.jdbc.fence.TokenFence;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The checks of a strategy that keeps its locks outside of the database, in a table beside the lock tables.
 *
 * @param strategy the strategy
 * @param fences makes the check of transactions on a DataSource; null if there is to be none
 */
record TokenFencing(String strategy, Function<DataSource, @Nullable TokenFence> fences) {}
