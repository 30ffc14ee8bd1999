package io.rowlock.sample.start;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A version of MySQL or MariaDB.
 *
 * @param text what {@code SELECT VERSION()} says
 */
record ServerVersion(String text) {

    private static final Pattern NUMBER = Pattern.compile("(?:5\\.5\\.5-)?(\\d+)\\.(\\d+).*");
    private static final int MYSQL = 8_000;
    private static final int MARIADB = 10_006;

    /** Whether Rowlock runs on it: MySQL 8.0 or newer, MariaDB 10.6 or newer. */
    boolean isSupported() {
        Matcher number = NUMBER.matcher(text);
        return number.matches()
                && Integer.parseInt(number.group(1)) * 1000 + Integer.parseInt(number.group(2))
                        >= (isMariaDb() ? MARIADB : MYSQL);
    }

    private boolean isMariaDb() {
        return text.contains("MariaDB");
    }

    /** Its name and number. */
    @Override
    public String toString() {
        return (isMariaDb() ? "MariaDB " : "MySQL ") + text;
    }
}
