package io.rowlock.sample.report;

import io.rowlock.sample.node.Node;
import io.rowlock.sample.node.Nodes;
import io.rowlock.sample.work.Shares;
import io.rowlock.sample.work.Span;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.List;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Service;

/** Has many reports rendered on several nodes, then counts how many were rendered at a time. */
@Service
@Profile("!node")
class ReportBatch {

    private final Nodes nodes;
    private final ReportBooks books;

    ReportBatch(Nodes nodes, ReportBooks books) {
        this.nodes = nodes;
        this.books = books;
    }

    ReportResult run(ReportOrder order) throws InterruptedException {
        List<Node> printers = nodes.up(order.nodes()).subList(0, order.nodes());
        long batchId = books.addBatch(order.reports());
        long start = System.nanoTime();
        List<ReportShare.Done> done = Shares.done(
                printers,
                "render",
                printer -> new ReportShare(batchId, reports(order, printer), order.permits(), order.lock()),
                ReportShare.Done.class,
                printer -> ReportShare.Done.lost(reports(order, printer)));
        Duration duration = Duration.ofNanos(System.nanoTime() - start).truncatedTo(ChronoUnit.MILLIS);
        return result(order, batchId, done, duration);
    }

    private static int reports(ReportOrder order, int printer) {
        return Shares.of(order.reports(), printer, order.nodes());
    }

    /** Counts rows, not what the printers believe. */
    private ReportResult result(ReportOrder order, long batchId, List<ReportShare.Done> done, Duration duration) {
        List<Rendering> outcomes =
                done.stream().flatMap(share -> share.renderings().stream()).toList();
        List<Span> renderings = books.renderings(batchId);
        return new ReportResult(
                batchId,
                order.reports(),
                order.permits(),
                order.nodes(),
                order.lock(),
                renderings.size(),
                Span.peak(renderings),
                Collections.frequency(outcomes, Rendering.GAVE_UP),
                Collections.frequency(outcomes, Rendering.FAILED),
                books.renderedByNode(batchId),
                duration,
                done.get(0).sql());
    }
}
