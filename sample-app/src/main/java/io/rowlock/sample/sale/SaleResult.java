package io.rowlock.sample.sale;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The result of a flash sale, counted from rows.
 *
 * @param itemId the item that was sold
 * @param key the key of its lock
 * @param stock the stock before
 * @param strategy the strategy of the item's lock; null without the lock
 * @param left the stock after, as the item's row has it
 * @param sold the pieces that were sold, as the rows of the sales have it
 * @param oversold the pieces that were sold and never existed
 * @param consistent true if the pieces left and sold add up to the stock before
 * @param soldOut the buyers who found nothing left
 * @param gaveUp the buyers who did not get the lock in time
 * @param failed the buyers who met a failing database or a lost lock
 * @param soldBy the pieces that each node sold
 * @param sql the statements that were sent to the database for one buyer, in order
 */
public record SaleResult(
        long itemId,
        String key,
        int buyers,
        int stock,
        boolean lock,
        @Nullable String strategy,
        int left,
        int sold,
        int oversold,
        boolean consistent,
        int soldOut,
        int gaveUp,
        int failed,
        Map<String, Integer> soldBy,
        Duration duration,
        List<String> sql) {}
