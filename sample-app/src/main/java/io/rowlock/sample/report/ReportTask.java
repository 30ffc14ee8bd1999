package io.rowlock.sample.report;

import io.rowlock.DistributedLockException;
import io.rowlock.LockMode;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.sample.node.Task;
import io.rowlock.sample.watch.LockWatch;
import io.rowlock.sample.watch.SqlTrace;
import io.rowlock.sample.work.Workers;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Profile;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Component;

/** Renders the reports of a batch that fall to this node. */
@Component
@Profile("node")
class ReportTask implements Task<ReportShare, ReportShare.Done> {

    private static final Logger log = LoggerFactory.getLogger(ReportTask.class);

    private final Printer printer;
    private final Workers workers;
    private final LockWatch watch;

    ReportTask(Printer printer, Workers workers, LockWatch watch) {
        this.printer = printer;
        this.workers = workers;
        this.watch = watch;
    }

    @Override
    public String name() {
        return "render";
    }

    @Override
    public Class<ReportShare> input() {
        return ReportShare.class;
    }

    @Override
    public ReportShare.Done run(ReportShare share) throws InterruptedException, ExecutionException {
        SqlTrace sql = new SqlTrace();
        List<Rendering> renderings = workers.serve(share.reports(), report -> sql.noting(() -> attempt(share)));
        return new ReportShare.Done(renderings, sql.statements());
    }

    private Rendering attempt(ReportShare share) {
        String key = "report:" + share.batchId();
        try {
            return share.lock()
                    ? watch.wanting(key, LockMode.PERMIT, () -> withPermit(share))
                    : watch.without(key, () -> withoutPermit(share));
        } catch (LockNotAcquiredException e) {
            return Rendering.GAVE_UP;
        } catch (DistributedLockException | DataAccessException e) {
            log.warn("A report failed: {}", e.getMessage());
            return Rendering.FAILED;
        }
    }

    private Rendering withPermit(ReportShare share) {
        if (share.permits() == Printer.PERMITS) {
            printer.render(share.batchId());
        } else {
            printer.renderWithPermits(share.batchId(), share.permits());
        }
        return Rendering.RENDERED;
    }

    private Rendering withoutPermit(ReportShare share) {
        printer.renderWithoutPermit(share.batchId());
        return Rendering.RENDERED;
    }
}
