package io.rowlock.verification.node;

import io.rowlock.verification.history.Event.Kind;
import io.rowlock.verification.history.Recorder;
import java.util.Objects;
import org.springframework.jdbc.core.JdbcTemplate;

/** Increments counters as an application would that trusts its lock: reads, thinks, writes one more. */
final class Increments {
    private final JdbcTemplate jdbc;
    private final Recorder recorder;

    Increments(JdbcTemplate jdbc, Recorder recorder) {
        this.jdbc = jdbc;
        this.recorder = recorder;
    }

    /** Part of a transaction. */
    void increment(long operation, String key, long thinkMillis) {
        long value = Objects.requireNonNull(
                jdbc.queryForObject("SELECT value FROM counter WHERE name = ?", Long.class, key));
        recorder.add(operation, Kind.READ, key, "", value);
        sleep(thinkMillis);
        jdbc.update("UPDATE counter SET value = ? WHERE name = ?", value + 1, key);
        wrote(operation, key, value + 1);
    }

    /** The counter was changed by other means. */
    void wrote(long operation, String key, long value) {
        jdbc.update("INSERT INTO written (name, value, operation) VALUES (?, ?, ?)", key, value, operation);
        recorder.add(operation, Kind.WROTE, key, "", value);
    }

    static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
