package io.rowlock.sample.report;

import io.rowlock.sample.input.BadInputException;
import io.rowlock.sample.node.Nodes;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Profile;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** {@code POST /report}: renders a batch of reports and answers how many were rendered at a time. */
@RestController
@Profile("!node")
class ReportController {

    private final ReportBatch batch;
    private final Nodes nodes;

    ReportController(ReportBatch batch, Nodes nodes) {
        this.batch = batch;
        this.nodes = nodes;
    }

    @PostMapping("/report")
    ReportResult run(
            @RequestParam(defaultValue = "30") int reports,
            @RequestParam(defaultValue = "5") int permits,
            @RequestParam(name = "nodes", required = false) @Nullable Integer some,
            @RequestParam(defaultValue = "true") boolean lock)
            throws InterruptedException {
        int on = some == null ? nodes.size() : some;
        BadInputException.check("nodes", on, nodes.size());
        return batch.run(new ReportOrder(reports, permits, on, lock));
    }
}
