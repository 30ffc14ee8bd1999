package io.rowlock.store.jdbc.session;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;

/** Spells the server's time for statements, and makes parameters of keys and durations. */
public final class JdbcText {
    /** The server's time in UTC, frozen when a statement starts. */
    public static final String NOW = "UTC_TIMESTAMP(6)";

    /** The same in microseconds since 1970. */
    public static final String MICROS = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', " + NOW + ")";

    private JdbcText() {}

    /** @return the bytes of a key: its columns have no collation */
    public static byte[] key(String key) {
        return key.getBytes(UTF_8);
    }

    /** @return whole microseconds, the unit of every interval in a statement */
    public static long micros(Duration duration) {
        return duration.toNanos() / 1_000;
    }
}
