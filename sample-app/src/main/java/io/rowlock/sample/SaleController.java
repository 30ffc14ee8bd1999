package io.rowlock.sample;

import java.util.concurrent.ExecutionException;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** {@code POST /sale}: runs a flash sale and answers its result. */
@RestController
@ConditionalOnWebApplication
class SaleController {

    private final FlashSale sale;

    SaleController(FlashSale sale) {
        this.sale = sale;
    }

    @PostMapping("/sale")
    SaleResult run(
            @RequestParam(defaultValue = "200") int buyers,
            @RequestParam(defaultValue = "100") int stock,
            @RequestParam(defaultValue = "true") boolean lock)
            throws InterruptedException, ExecutionException {
        return sale.run(new SaleOrder(buyers, stock, lock));
    }
}
