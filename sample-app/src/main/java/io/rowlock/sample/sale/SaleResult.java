package io.rowlock.sample.sale;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What came of a flash sale.
 *
 * @param itemId the item that was sold
 * @param key the key of its lock
 * @param stock the stock before
 * @param strategy the strategy of the item's lock; null without the lock
 * @param left the stock after, as the item's row has it
 * @param sold how many pieces were sold, as the rows of the sales have it
 * @param oversold how many pieces were sold that never existed
 * @param consistent whether what is left and what was sold add up to the stock before
 * @param soldOut how many buyers found nothing left
 * @param gaveUp how many buyers did not get the lock in time
 * @param failed how many buyers met a failing database or a lost lock
 * @param soldBy how many pieces each node sold
 * @param sql what was sent to the database for one buyer, in order
 */
public record SaleResult(
        long itemId,
        String key,
        int buyers,
        int stock,
        int nodes,
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
