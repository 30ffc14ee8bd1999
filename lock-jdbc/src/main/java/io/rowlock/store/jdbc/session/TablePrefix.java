package io.rowlock.store.jdbc.session;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The beginning of the names of Rowlock's tables. It goes into statements as it is, so it is checked here.
 *
 * @param value 1 to 30 letters, digits and underscores, not beginning with a digit
 */
public record TablePrefix(String value) {
    private static final Pattern ALLOWED = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,29}");

    /** Rowlock's tables. */
    public enum Table {
        /** The leases of strategy {@code lease}. */
        LOCK,
        /** The lock log. */
        LOCK_LOG,
        /** The leases of strategy {@code unique-key}. */
        UNIQUE_KEY,
        /** The rows that order what acquires unique keys. */
        UNIQUE_KEY_STRIPE,
        /** The rows that strategies {@code row-lock} and {@code transaction} lock. */
        ROW,
        /** The greatest tokens that transactions have relied on. */
        FENCE,
        /** The greatest tokens that calls came with. */
        TOKEN
    }

    public TablePrefix {
        if (!ALLOWED.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "The table prefix \"%s\" is not allowed: 1 to 30 letters, digits and underscores, no digit first"
                            .formatted(value));
        }
    }

    /** Returns the name of a table. */
    public String of(Table table) {
        return value + table.name().toLowerCase(Locale.ROOT);
    }
}
