package io.rowlock.sample.jobs;

import io.rowlock.LockMode;
import io.rowlock.sample.stage.Span;
import io.rowlock.sample.stage.Watch;
import org.springframework.context.annotation.Profile;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Calls on every node what is due. The page is shown the SQL of it. */
@Component
@Profile("node")
class Timetable {

    private static final long MICROS_OF_A_NIGHT = 10_000_000;

    private final Dispatcher dispatcher;
    private final Nightly nightly;
    private final Watch watch;

    Timetable(Dispatcher dispatcher, Nightly nightly, Watch watch) {
        this.dispatcher = dispatcher;
        this.nightly = nightly;
        this.watch = watch;
    }

    @Scheduled(fixedRate = 1000)
    void everySecond() {
        watch.background("leader", dispatcher::dispatch);
    }

    @Scheduled(cron = "*/10 * * * * *")
    void everyNight() {
        long night = Span.now() / MICROS_OF_A_NIGHT * MICROS_OF_A_NIGHT;
        watch.withLock("nightly", LockMode.EXCLUSIVE, () -> nightly.run(night));
    }
}
