package io.rowlock.sample.loan;

import io.rowlock.sample.input.BadInputException;
import io.rowlock.sample.node.Nodes;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Profile;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** {@code POST /loan}: runs transfers and repayments of one debt and answers what came of them. */
@RestController
@Profile("!node")
class LoanController {

    private final Loan loan;
    private final Nodes nodes;

    LoanController(Loan loan, Nodes nodes) {
        this.loan = loan;
        this.nodes = nodes;
    }

    @PostMapping("/loan")
    LoanResult run(
            @RequestParam(defaultValue = "200") int transfers,
            @RequestParam(defaultValue = "10") int repayments,
            @RequestParam(name = "nodes", required = false) @Nullable Integer some,
            @RequestParam(defaultValue = "true") boolean lock)
            throws InterruptedException {
        int on = some == null ? nodes.size() : some;
        BadInputException.check("nodes", on, nodes.size());
        return loan.run(new LoanOrder(transfers, repayments, on, lock));
    }
}
