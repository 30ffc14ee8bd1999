package io.rowlock.sample.jobs;

import io.rowlock.sample.watch.SqlShown;
import java.time.Instant;
import org.springframework.context.annotation.Profile;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** What every node does when its time has come. The page is shown the SQL of it. */
@Component
@Profile("node")
class Timetable {
    private static final int SECONDS_OF_A_NIGHT = 10;

    private final Dispatcher dispatcher;
    private final NightlyTask nightly;
    private final SqlShown shown;

    Timetable(Dispatcher dispatcher, NightlyTask nightly, SqlShown shown) {
        this.dispatcher = dispatcher;
        this.nightly = nightly;
        this.shown = shown;
    }

    @Scheduled(fixedRate = 1000)
    void everySecond() {
        shown.as("leader", dispatcher::dispatch);
    }

    @Scheduled(cron = "*/10 * * * * *")
    void everyNight() {
        nightly.runs(Instant.now().getEpochSecond() / SECONDS_OF_A_NIGHT * SECONDS_OF_A_NIGHT * 1_000_000);
    }
}
