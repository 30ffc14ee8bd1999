package io.rowlock.sample;

import io.rowlock.DistributedLockException;
import io.rowlock.LockNotAcquiredException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Service;
import org.springframework.transaction.TransactionException;

/** Lets many buyers on two nodes fight for one item, then counts what was sold. */
@Service
@ConditionalOnWebApplication
class FlashSale {

    private static final Logger log = LoggerFactory.getLogger(FlashSale.class);

    private final Nodes nodes;
    private final SaleBooks books;

    FlashSale(Nodes nodes, SaleBooks books) {
        this.nodes = nodes;
        this.books = books;
    }

    SaleResult run(SaleOrder order) throws InterruptedException, ExecutionException {
        long itemId = books.addItem(order.stock());
        List<Shop> shops = nodes.all(Shop.class);
        long start = System.nanoTime();
        List<Purchase> purchases =
                Crowd.rush(order.buyers(), buyer -> buy(shops.get(buyer % shops.size()), itemId, order.lock()));
        Duration duration = Duration.ofNanos(System.nanoTime() - start).truncatedTo(ChronoUnit.MILLIS);
        return result(order, itemId, purchases, duration);
    }

    private static Purchase buy(Shop shop, long itemId, boolean lock) {
        try {
            boolean bought = lock ? shop.buy(itemId) : shop.buyWithoutLock(itemId);
            return bought ? Purchase.BOUGHT : Purchase.SOLD_OUT;
        } catch (LockNotAcquiredException e) {
            return Purchase.GAVE_UP;
        } catch (DistributedLockException | DataAccessException | TransactionException e) {
            log.warn("A purchase failed: {}", e.getMessage());
            return Purchase.FAILED;
        }
    }

    /** Counts rows, not what the buyers believe. */
    private SaleResult result(SaleOrder order, long itemId, List<Purchase> purchases, Duration duration) {
        Map<String, Integer> soldBy = books.soldByNode(itemId);
        int sold = soldBy.values().stream().mapToInt(Integer::intValue).sum();
        int left = books.stock(itemId);
        return new SaleResult(
                itemId,
                order.buyers(),
                order.stock(),
                order.lock(),
                left,
                sold,
                Math.max(0, sold - order.stock()),
                left + sold == order.stock(),
                Collections.frequency(purchases, Purchase.SOLD_OUT),
                Collections.frequency(purchases, Purchase.GAVE_UP),
                Collections.frequency(purchases, Purchase.FAILED),
                soldBy,
                duration);
    }
}
