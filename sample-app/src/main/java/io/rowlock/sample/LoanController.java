package io.rowlock.sample;

import java.util.concurrent.ExecutionException;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** {@code POST /loan}: runs transfers and repayments of one debt and answers what came of them. */
@RestController
@ConditionalOnWebApplication
class LoanController {

    private final Loan loan;

    LoanController(Loan loan) {
        this.loan = loan;
    }

    @PostMapping("/loan")
    LoanResult run(
            @RequestParam(defaultValue = "200") int transfers,
            @RequestParam(defaultValue = "10") int repayments,
            @RequestParam(defaultValue = "true") boolean lock)
            throws InterruptedException, ExecutionException {
        return loan.run(new LoanOrder(transfers, repayments, lock));
    }
}
