package io.rowlock.sample.sale;

import io.rowlock.LockMode;
import io.rowlock.sample.stage.Books;
import io.rowlock.sample.stage.Node;
import io.rowlock.sample.stage.Nodes;
import io.rowlock.sample.stage.Refusal;
import io.rowlock.sample.stage.Run;
import io.rowlock.sample.stage.Visit;
import io.rowlock.sample.stage.Watch;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** {@code POST /sale}: lets many buyers on several nodes compete for one item, then counts the pieces that were sold. */
@RestController
class SaleController {

    private static final ParameterizedTypeReference<Visit<Boolean>> PURCHASE = new ParameterizedTypeReference<>() {};
    private static final List<String> STRATEGIES = List.of("lease", "transaction");
    private static final int MAX = 1000;

    private final Shop shop;
    private final Books books;
    private final Nodes nodes;
    private final Watch watch;

    SaleController(Shop shop, Books books, Nodes nodes, Watch watch) {
        this.shop = shop;
        this.books = books;
        this.nodes = nodes;
        this.watch = watch;
    }

    /** Serves one buyer on this node. */
    @PostMapping("/sale/{item}/buyers")
    Visit<Boolean> serve(@PathVariable long item, @RequestParam boolean lock, @RequestParam String strategy) {
        String key = key(item, lock, strategy);
        if (!lock) {
            return watch.withoutLock(key, () -> shop.buyWithoutLock(item));
        }
        return watch.withLock(
                key,
                LockMode.EXCLUSIVE,
                () -> strategy.equals("transaction") ? shop.buyInTransaction(item) : shop.buy(item));
    }

    @PostMapping("/sale")
    SaleResult run(
            @RequestParam(defaultValue = "200") int buyers,
            @RequestParam(defaultValue = "100") int stock,
            @RequestParam(name = "nodes", required = false) @Nullable Integer some,
            @RequestParam(defaultValue = "true") boolean lock,
            @RequestParam(defaultValue = "lease") String strategy)
            throws InterruptedException {
        Refusal.check("buyers", buyers, MAX);
        Refusal.check("stock", stock, MAX);
        Refusal.checkKnown("strategy", strategy, STRATEGIES);
        List<Node> shops = nodes.choose(some);
        long item = books.add("INSERT INTO sample_item (stock) VALUES (?)", stock);
        String request = "/sale/%d/buyers?lock=%b&strategy=%s".formatted(item, lock, strategy);
        Run<Boolean> run = Run.of(shops, buyers, buyer -> request, PURCHASE);
        Map<String, Integer> soldBy = books.byNode(
                "SELECT node, COUNT(*) FROM sample_sale WHERE item_id = ? GROUP BY node ORDER BY node", item);
        int sold = soldBy.values().stream().mapToInt(Integer::intValue).sum();
        int left = (int) books.number("SELECT stock FROM sample_item WHERE id = ?", item);
        return new SaleResult(
                item,
                key(item, lock, strategy),
                buyers,
                stock,
                lock,
                lock ? strategy : null,
                left,
                sold,
                Math.max(0, sold - stock),
                left + sold == stock,
                Collections.frequency(run.results(), false),
                run.gaveUp(),
                run.failed(),
                soldBy,
                run.duration(),
                run.sql());
    }

    private static String key(long item, boolean lock, String strategy) {
        return (lock && strategy.equals("transaction") ? "item-in-transaction:" : "item:") + item;
    }
}
