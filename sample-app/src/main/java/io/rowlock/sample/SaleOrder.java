package io.rowlock.sample;

/**
 * How to run a flash sale.
 *
 * @param buyers how many want one piece each, all at the same time
 * @param stock how many pieces there are
 * @param lock whether they buy under the item's lock
 */
record SaleOrder(int buyers, int stock, boolean lock) {

    private static final int MAX = 1000;

    SaleOrder {
        check("buyers", buyers);
        check("stock", stock);
    }

    private static void check(String name, int value) {
        if (value < 1 || value > MAX) {
            throw new IllegalArgumentException("%s must be 1 to %d, but is %d.".formatted(name, MAX, value));
        }
    }
}
