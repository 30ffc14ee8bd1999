package io.rowlock.sample.sale;

import io.rowlock.sample.input.BadInputException;
import io.rowlock.sample.node.Nodes;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Profile;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** {@code POST /sale}: runs a flash sale and answers its result. */
@RestController
@Profile("!node")
class SaleController {

    private final FlashSale sale;
    private final Nodes nodes;

    SaleController(FlashSale sale, Nodes nodes) {
        this.sale = sale;
        this.nodes = nodes;
    }

    @PostMapping("/sale")
    SaleResult run(
            @RequestParam(defaultValue = "200") int buyers,
            @RequestParam(defaultValue = "100") int stock,
            @RequestParam(name = "nodes", required = false) @Nullable Integer some,
            @RequestParam(defaultValue = "true") boolean lock,
            @RequestParam(defaultValue = "lease") String strategy)
            throws InterruptedException {
        int on = some == null ? nodes.size() : some;
        BadInputException.check("nodes", on, nodes.size());
        return sale.run(new SaleOrder(buyers, stock, on, lock, strategy));
    }
}
