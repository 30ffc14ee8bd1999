package io.rowlock.sample;

import java.util.concurrent.ExecutionException;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.server.ResponseStatusException;

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
        return sale.run(order(buyers, stock, lock));
    }

    @ExceptionHandler
    ProblemDetail explain(MethodArgumentTypeMismatchException mismatch) {
        String wanted = mismatch.getRequiredType() == boolean.class ? "true or false" : "a whole number";
        return ProblemDetail.forStatusAndDetail(
                HttpStatus.BAD_REQUEST,
                "%s must be %s, but is \"%s\".".formatted(mismatch.getName(), wanted, mismatch.getValue()));
    }

    private static SaleOrder order(int buyers, int stock, boolean lock) {
        try {
            return new SaleOrder(buyers, stock, lock);
        } catch (IllegalArgumentException e) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST, e.getMessage(), e);
        }
    }
}
