package io.rowlock.sample.jobs;

import io.rowlock.LockMode;
import io.rowlock.sample.node.Task;
import io.rowlock.sample.watch.LockWatch;
import io.rowlock.sample.watch.SqlTrace;
import io.rowlock.sample.work.Workers;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/** Starts the job of the night on this node. */
@Component
@Profile("node")
class NightlyTask implements Task<NightlyTask.Start, NightlyTask.Done> {

    /**
     * The order to start it.
     *
     * @param night which night
     */
    record Start(long night) {}

    /**
     * What came of it.
     *
     * @param ran whether this node did it
     * @param sql what was sent to the database, in order
     */
    record Done(boolean ran, List<String> sql) {}

    private final Nightly nightly;
    private final Workers workers;
    private final LockWatch watch;

    NightlyTask(Nightly nightly, Workers workers, LockWatch watch) {
        this.nightly = nightly;
        this.workers = workers;
        this.watch = watch;
    }

    @Override
    public String name() {
        return "start the job of the night";
    }

    @Override
    public Class<Start> input() {
        return Start.class;
    }

    @Override
    public Done run(Start start) throws InterruptedException, ExecutionException {
        SqlTrace sql = new SqlTrace();
        boolean ran =
                workers.serve(1, one -> sql.noting(() -> runs(start.night()))).get(0);
        return new Done(ran, sql.statements());
    }

    /** Starts it here; not on a thread of its own. */
    boolean runs(long night) {
        return watch.wanting("nightly", LockMode.EXCLUSIVE, () -> nightly.run(night))
                .isPresent();
    }
}
