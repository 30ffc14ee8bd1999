package io.rowlock.sample.sale;

import io.rowlock.sample.input.BadInputException;
import java.util.List;

/**
 * How to run a flash sale.
 *
 * @param buyers how many want one piece each, all at the same time
 * @param stock how many pieces there are
 * @param nodes how many nodes they come to
 * @param lock whether they buy under the item's lock
 * @param strategy the strategy of that lock
 */
record SaleOrder(int buyers, int stock, int nodes, boolean lock, String strategy) {

    /** The one whose lock is part of the buyer's transaction. */
    static final String TRANSACTION = "transaction";

    private static final List<String> STRATEGIES = List.of("lease", TRANSACTION);
    private static final int MAX = 1000;

    SaleOrder {
        BadInputException.check("buyers", buyers, MAX);
        BadInputException.check("stock", stock, MAX);
        if (!STRATEGIES.contains(strategy)) {
            throw BadInputException.unknown("strategy", strategy, STRATEGIES);
        }
    }

    /** The key of an item's lock. */
    String key(long itemId) {
        return (lock && strategy.equals(TRANSACTION) ? "item-in-transaction:" : "item:") + itemId;
    }
}
