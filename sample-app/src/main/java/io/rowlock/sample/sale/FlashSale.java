package io.rowlock.sample.sale;

import io.rowlock.sample.node.Node;
import io.rowlock.sample.node.Nodes;
import io.rowlock.sample.work.Shares;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Service;

/** Lets many buyers on several nodes fight for one item, then counts what was sold. */
@Service
@Profile("!node")
class FlashSale {

    private final Nodes nodes;
    private final SaleBooks books;

    FlashSale(Nodes nodes, SaleBooks books) {
        this.nodes = nodes;
        this.books = books;
    }

    SaleResult run(SaleOrder order) throws InterruptedException {
        List<Node> shops = nodes.up(order.nodes()).subList(0, order.nodes());
        long itemId = books.addItem(order.stock());
        long start = System.nanoTime();
        List<SaleShare.Done> done = Shares.done(
                shops,
                "sell",
                shop -> new SaleShare(itemId, order.key(itemId), buyers(order, shop), order.lock(), order.strategy()),
                SaleShare.Done.class,
                shop -> SaleShare.Done.lost(buyers(order, shop)));
        Duration duration = Duration.ofNanos(System.nanoTime() - start).truncatedTo(ChronoUnit.MILLIS);
        return result(order, itemId, done, duration);
    }

    private static int buyers(SaleOrder order, int shop) {
        return Shares.of(order.buyers(), shop, order.nodes());
    }

    /** Counts rows, not what the buyers believe. */
    private SaleResult result(SaleOrder order, long itemId, List<SaleShare.Done> done, Duration duration) {
        List<Purchase> purchases =
                done.stream().flatMap(share -> share.purchases().stream()).toList();
        Map<String, Integer> soldBy = books.soldByNode(itemId);
        int sold = soldBy.values().stream().mapToInt(Integer::intValue).sum();
        int left = books.stock(itemId);
        return new SaleResult(
                itemId,
                order.key(itemId),
                order.buyers(),
                order.stock(),
                order.nodes(),
                order.lock(),
                order.lock() ? order.strategy() : null,
                left,
                sold,
                Math.max(0, sold - order.stock()),
                left + sold == order.stock(),
                Collections.frequency(purchases, Purchase.SOLD_OUT),
                Collections.frequency(purchases, Purchase.GAVE_UP),
                Collections.frequency(purchases, Purchase.FAILED),
                soldBy,
                duration,
                done.get(0).sql());
    }
}
