package io.rowlock.store.jdbc.session;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import org.jspecify.annotations.Nullable;

/** Spells the server's time for statements, and makes parameters of keys and durations, and reads times. */
public final class JdbcText {
    /** The server's time in UTC, frozen when a statement starts. */
    public static final String NOW = "UTC_TIMESTAMP(6)";

    /** The same in microseconds since 1970. */
    public static final String MICROS = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', " + NOW + ")";

    /**
     * Begins a statement on the connection of the application's transaction that must see, and lock, what others have committed since
     * that began to read: a lease it relies on may have been renewed, or acquired, meanwhile.
     *
     * <p>MySQL reads so always. MariaDB with {@code innodb_snapshot_isolation}, which is on by default from 11.6.2 on, refuses such a
     * row under REPEATABLE READ with error 1020 and rolls the transaction back. So there the setting is off for the one statement; the
     * application's own statements keep it. For MySQL this is a comment, as it is for MariaDB before 11.4.2, part of which do not know
     * the setting.
     */
    public static final String CURRENT = "/*M!110402 SET STATEMENT innodb_snapshot_isolation = OFF FOR */ ";

    /** True if the server accepts no writes. MariaDB has a text for that from version 12 on, which is a number nowhere. */
    public static final String READ_ONLY = "CAST(@@global.read_only AS CHAR) NOT IN ('0', 'OFF')";

    private JdbcText() {}

    /** @return so many parameters of a list */
    public static String places(int count) {
        return String.join(", ", Collections.nCopies(count, "?"));
    }

    /** @return so many rows, each from parameters */
    public static String rows(int count, String row) {
        return String.join(" UNION ALL ", Collections.nCopies(count, row));
    }

    /** @return the bytes of a key: its columns have no collation */
    public static byte[] key(String key) {
        return key.getBytes(UTF_8);
    }

    /** @return the time, or the time since 1970, of a column that counts microseconds */
    public static Duration duration(ResultSet row, int column) throws SQLException {
        return Duration.of(row.getLong(column), ChronoUnit.MICROS);
    }

    /** @return the point in time of a column that counts microseconds since 1970, or null */
    public static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
        Duration since = duration(row, column);
        return row.wasNull() ? null : Instant.EPOCH.plus(since);
    }

    /** @return whole microseconds, the unit of every interval in a statement */
    public static long micros(Duration duration) {
        return duration.toNanos() / 1_000;
    }
}
