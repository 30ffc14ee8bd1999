package io.rowlock.fault;

import java.time.Duration;

/**
 * Something programs do with a lock. It is played on a {@link Stage}, and whatever happens to the subject's requests, it goes
 * on to its end as well as it can.
 *
 * @param name what the subject does
 * @param setup with which store
 * @param blocks how much longer than usual the key may be taken in the end
 * @param apart whether it has data of its own, because what it does is not about one key
 * @param play what is done
 */
record Scenario(String name, Setup setup, Duration blocks, boolean apart, Play play) {
    /** What is done, in steps. */
    @FunctionalInterface
    interface Play {
        void on(Stage stage) throws Exception;
    }

    /** What it is called where one is chosen. */
    String id() {
        return name + "/" + setup.label();
    }

    @Override
    public String toString() {
        return id();
    }
}
