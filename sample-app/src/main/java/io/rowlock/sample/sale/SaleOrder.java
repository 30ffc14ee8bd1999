package io.rowlock.sample.sale;

import io.rowlock.sample.input.BadInputException;

/**
 * How to run a flash sale.
 *
 * @param buyers how many want one piece each, all at the same time
 * @param stock how many pieces there are
 * @param nodes how many nodes they come to
 * @param lock whether they buy under the item's lock
 */
record SaleOrder(int buyers, int stock, int nodes, boolean lock) {

    private static final int MAX = 1000;

    SaleOrder {
        BadInputException.check("buyers", buyers, MAX);
        BadInputException.check("stock", stock, MAX);
    }
}
