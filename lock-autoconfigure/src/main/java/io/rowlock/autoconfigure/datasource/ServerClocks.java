package io.rowlock.autoconfigure.datasource;

import io.rowlock.Printable;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Compares the clocks of the servers that a URL names, as far as they can be reached: each decides when a lease runs out. */
public final class ServerClocks {
    private static final Logger log = LoggerFactory.getLogger(ServerClocks.class);

    /** Where it matters. */
    private static final Duration NOTICEABLE = Duration.ofMillis(500);

    private static final String NOW = "SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";

    private ServerClocks() {}

    /** Opens a connection to one server. */
    @FunctionalInterface
    public interface Server {
        Connection connect() throws SQLException;
    }

    /** @return a sentence if two of them differ by much */
    public static Optional<String> warning(Map<String, Server> servers) {
        TreeMap<Long, String> ahead = new TreeMap<>();
        servers.forEach((name, server) -> {
            Long micros = micros(name, server);
            if (micros != null) {
                ahead.put(micros, name);
            }
        });
        if (ahead.isEmpty()) {
            return Optional.empty();
        }
        Duration apart = Duration.of(ahead.lastKey() - ahead.firstKey(), ChronoUnit.MICROS);
        return apart.compareTo(NOTICEABLE) <= 0
                ? Optional.empty()
                : Optional.of(
                        "The clock of %s is %s ahead of that of %s: the one may give a lock away that long before its holder on the other knows that it ran out; synchronize the servers' clocks."
                                .formatted(
                                        ahead.lastEntry().getValue(),
                                        Printable.of(apart),
                                        ahead.firstEntry().getValue()));
    }

    /** How far its clock is ahead of this process's, taken in the middle of question and answer. */
    private static @Nullable Long micros(String name, Server server) {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            long sent = System.nanoTime();
            try (ResultSet row = statement.executeQuery(NOW)) {
                row.next();
                return row.getLong(1) - (sent + System.nanoTime()) / 2_000;
            }
        } catch (SQLException e) {
            log.debug("The clock of {} cannot be read", name, e);
            return null;
        }
    }
}
