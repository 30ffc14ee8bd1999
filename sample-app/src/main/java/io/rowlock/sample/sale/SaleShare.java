package io.rowlock.sample.sale;

import java.util.Collections;
import java.util.List;

/**
 * The buyers of a flash sale that come to one node.
 *
 * @param itemId what they want
 * @param key the key of that item's lock
 * @param buyers how many they are
 * @param lock whether they buy under the item's lock
 * @param strategy the strategy of that lock
 */
record SaleShare(long itemId, String key, int buyers, boolean lock, String strategy) {

    /**
     * What came of them.
     *
     * @param purchases how it ended for each
     * @param sql what was sent to the database for one of them, in order
     */
    record Done(List<Purchase> purchases, List<String> sql) {

        static Done lost(int buyers) {
            return new Done(Collections.nCopies(buyers, Purchase.FAILED), List.of());
        }
    }
}
