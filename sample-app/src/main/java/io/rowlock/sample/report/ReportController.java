package io.rowlock.sample.report;

import io.rowlock.LockMode;
import io.rowlock.sample.stage.Books;
import io.rowlock.sample.stage.Node;
import io.rowlock.sample.stage.Nodes;
import io.rowlock.sample.stage.Refusal;
import io.rowlock.sample.stage.Run;
import io.rowlock.sample.stage.Span;
import io.rowlock.sample.stage.Visit;
import io.rowlock.sample.stage.Watch;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** {@code POST /report}: has many reports rendered on several nodes, then counts those that were rendered at a time. */
@RestController
class ReportController {

    private static final ParameterizedTypeReference<Visit<Long>> RENDERING = new ParameterizedTypeReference<>() {};
    private static final int MAX_REPORTS = 200;
    private static final int MAX_PERMITS = 100;

    private static final String RENDERED = "SELECT node, COUNT(*) FROM sample_report"
            + " WHERE batch_id = ? AND done_at IS NOT NULL GROUP BY node ORDER BY node";

    private final Printer printer;
    private final JdbcClient database;
    private final Books books;
    private final Nodes nodes;
    private final Watch watch;

    ReportController(Printer printer, JdbcClient database, Books books, Nodes nodes, Watch watch) {
        this.printer = printer;
        this.database = database;
        this.books = books;
        this.nodes = nodes;
        this.watch = watch;
    }

    /** Renders one report on this node. */
    @PostMapping("/report/{batch}/reports")
    Visit<Long> render(@PathVariable long batch, @RequestParam boolean lock, @RequestParam int permits) {
        String key = "report:" + batch;
        if (!lock) {
            return watch.withoutLock(key, () -> printer.renderWithoutPermit(batch));
        }
        return watch.withLock(
                key,
                LockMode.PERMIT,
                () -> permits == Printer.PERMITS ? printer.render(batch) : printer.renderWithPermits(batch, permits));
    }

    @PostMapping("/report")
    ReportResult run(
            @RequestParam(defaultValue = "30") int reports,
            @RequestParam(defaultValue = "5") int permits,
            @RequestParam(name = "nodes", required = false) @Nullable Integer some,
            @RequestParam(defaultValue = "true") boolean lock)
            throws InterruptedException {
        Refusal.check("reports", reports, MAX_REPORTS);
        Refusal.check("permits", permits, MAX_PERMITS);
        List<Node> printers = nodes.choose(some);
        long batch = books.add("INSERT INTO sample_batch (reports) VALUES (?)", reports);
        String request = "/report/%d/reports?lock=%b&permits=%d".formatted(batch, lock, permits);
        Run<Long> run = Run.of(printers, reports, report -> request, RENDERING);
        List<Span> renderings = renderings(batch);
        return new ReportResult(
                batch,
                permits,
                lock,
                renderings.size(),
                Span.peak(renderings),
                run.gaveUp(),
                run.failed(),
                books.byNode(RENDERED, batch),
                run.duration(),
                run.sql());
    }

    /** Returns the time of each rendering, by the database's clock. One that was never finished has no end. */
    private List<Span> renderings(long batch) {
        return database.sql("""
                        SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', begun_at) AS `start`,
                               TIMESTAMPDIFF(MICROSECOND, '1970-01-01', done_at) AS `end`
                        FROM sample_report
                        WHERE batch_id = ? AND done_at IS NOT NULL
                        """).param(batch).query(Span.class).list();
    }
}
