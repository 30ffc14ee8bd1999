package io.rowlock.store.jdbc.session;

import java.util.regex.Pattern;

/**
 * The beginning of the names of Rowlock's tables. It goes into statements as it is, so it is checked here.
 *
 * @param value 1 to 30 letters, digits and underscores, not beginning with a digit
 */
public record TablePrefix(String value) {
    private static final Pattern ALLOWED = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,29}");

    public TablePrefix {
        if (!ALLOWED.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "The table prefix \"%s\" is not allowed: 1 to 30 letters, digits and underscores, no digit first"
                            .formatted(value));
        }
    }

    /** @return the name of the lock table */
    public String lockTable() {
        return value + "lock";
    }

    /** @return the name of the lock log */
    public String logTable() {
        return value + "lock_log";
    }

    /** @return the name of the table of strategy {@code unique-key} */
    public String uniqueKeyTable() {
        return value + "unique_key";
    }

    /** @return the name of the table whose rows order what takes unique keys */
    public String uniqueKeyStripeTable() {
        return value + "unique_key_stripe";
    }

    /** @return the name of the table whose rows the strategy {@code row-lock} locks */
    public String rowTable() {
        return value + "row";
    }

    /** @return the name of the table of the greatest tokens that transactions have relied on */
    public String fenceTable() {
        return value + "fence";
    }

    /** @return the name of the table of the greatest tokens that calls came with */
    public String tokenTable() {
        return value + "token";
    }
}
