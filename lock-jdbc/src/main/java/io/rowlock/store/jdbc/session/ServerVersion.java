package io.rowlock.store.jdbc.session;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name and version that a server gives itself.
 *
 * @param text its own words, without the prefix 5.5.5- of older MariaDB
 * @param mariaDb whether it is MariaDB
 * @param major the first number of its version; 0 if it says none
 * @param minor the second
 */
public record ServerVersion(String text, boolean mariaDb, int major, int minor) {
    /** MariaDB before 11 says {@code 5.5.5-} first to drivers, for old replicas of MySQL. */
    private static final Pattern NUMBERS = Pattern.compile("(?:5\\.5\\.5-)?((\\d+)\\.(\\d+).*)");

    /**
     * Reads a version.
     *
     * @param text what {@code SELECT VERSION()} or a driver says
     * @return it
     */
    public static ServerVersion parse(String text) {
        boolean mariaDb = text.contains("MariaDB");
        Matcher numbers = NUMBERS.matcher(text);
        return numbers.matches()
                ? new ServerVersion(
                        numbers.group(1),
                        mariaDb,
                        Integer.parseInt(numbers.group(2)),
                        Integer.parseInt(numbers.group(3)))
                : new ServerVersion(text, mariaDb, 0, 0);
    }

    /**
     * Says why locks cannot be kept there.
     *
     * @return a sentence without a full stop; empty if nothing speaks against it
     */
    public Optional<String> unfitBecause() {
        if (text.contains("TiDB")) {
            return Optional.of(
                    "TiDB carries out LOCK IN SHARE MODE without locking and does not know SKIP LOCKED, so two"
                            + " nodes could hold one lock");
        }
        if (text.contains("Vitess")) {
            return Optional.of(
                    "Vitess can commit over several shards, and such a commit cannot be refused once its lock is lost");
        }
        return isTooOld() ? Optional.of("Rowlock needs MySQL 8.0 or MariaDB 10.6, or later") : Optional.empty();
    }

    private boolean isTooOld() {
        if (major == 0) {
            return false;
        }
        return mariaDb ? major < 10 || (major == 10 && minor < 6) : major < 8;
    }

    @Override
    public String toString() {
        return (mariaDb ? "MariaDB " : "MySQL ") + text;
    }
}
