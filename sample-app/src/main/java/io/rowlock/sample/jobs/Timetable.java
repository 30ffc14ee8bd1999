package io.rowlock.sample.jobs;

import io.rowlock.LockMode;
import io.rowlock.sample.stage.Watch;
import java.time.Instant;
import org.springframework.context.annotation.Profile;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Calls on every node what is due. The page is shown the SQL of it. */
@Component
@Profile("node")
class Timetable {

    private static final int SECONDS_OF_A_NIGHT = 10;

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
        long night = Instant.now().getEpochSecond() / SECONDS_OF_A_NIGHT * SECONDS_OF_A_NIGHT * 1_000_000;
        watch.withLock("nightly", LockMode.EXCLUSIVE, () -> nightly.run(night));
    }
}
