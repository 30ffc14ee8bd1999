package io.rowlock.fault;

import java.time.Duration;
import java.util.Locale;

/**
 * Something programs do with a lock. It is played on a {@link Stage}, and whatever happens to the subject's requests, it goes
 * on to its end as well as it can.
 *
 * @param name what the subject does
 * @param locks with which strategy
 * @param logging how grants are noted
 * @param blocks how much longer than usual the key may be taken in the end
 * @param apart whether it has tables of its own, because what it does is not about one key
 * @param play what is done
 */
record Scenario(String name, Locks locks, Locks.Logging logging, Duration blocks, boolean apart, Play play) {
    Scenario(String name, Locks locks, Locks.Logging logging, Duration blocks, Play play) {
        this(name, locks, logging, blocks, false, play);
    }

    /** What is done, in steps. */
    @FunctionalInterface
    interface Play {
        void on(Stage stage) throws Exception;
    }

    /** What it is called where one is chosen. */
    String id() {
        String log = logging == Locks.Logging.OFF ? "" : "+" + logging.name().toLowerCase(Locale.ROOT) + "-log";
        return name + "/" + locks.strategy + log;
    }

    @Override
    public String toString() {
        return id();
    }
}
