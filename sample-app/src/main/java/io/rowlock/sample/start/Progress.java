package io.rowlock.sample.start;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/** Says every few seconds that something still goes on, until it is closed. */
final class Progress implements AutoCloseable {
    private static final long SECONDS = 3;

    private final long start = System.nanoTime();
    private final Logger log;
    private final Thread thread = new Thread(this::repeat, "progress");

    private Progress(Logger log) {
        this.log = log;
    }

    static Progress begin(Logger log, String what) {
        log.info("{} …", what);
        Progress progress = new Progress(log);
        progress.thread.setDaemon(true);
        progress.thread.start();
        return progress;
    }

    long seconds() {
        return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
    }

    private void repeat() {
        try {
            while (true) {
                TimeUnit.SECONDS.sleep(SECONDS);
                log.info("… still at it after {} s", seconds());
            }
        } catch (InterruptedException e) {
            log.debug("No more progress to report");
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
