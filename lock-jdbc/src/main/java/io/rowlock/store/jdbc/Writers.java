package io.rowlock.store.jdbc;

import java.util.Optional;

/** How many servers take writes to the lock tables at the same time. */
public enum Writers {
    /** One: its row locks are seen by every transaction. */
    ONE,

    /**
     * Several: each sees its own row locks only, and of two transactions the later one is rolled back when it commits, if both
     * changed a row. What one of them has only read does not count.
     */
    MANY;

    /**
     * Says why a strategy cannot be used.
     *
     * @param strategy its name
     * @return a sentence without a full stop, with what to do; empty if it can be used
     */
    public Optional<String> refusalOf(String strategy) {
        return this == ONE ? Optional.empty() : unfitBecause(strategy).map(why -> refusal(strategy, why));
    }

    private static Optional<String> unfitBecause(String strategy) {
        return switch (strategy) {
            case Strategies.ROW_LOCK, Strategies.TRANSACTION ->
                Optional.of("row locks are not replicated, so two nodes would both hold it");
            case Strategies.UNIQUE_KEY ->
                Optional.of(
                        "each server counts its tokens for itself, so they would not grow from one holder to the next");
            default -> Optional.empty();
        };
    }

    private static String refusal(String strategy, String why) {
        return ("The strategy \"%s\" cannot be used on a cluster of which several servers take writes: %s; use \"%s\", or"
                        + " set rowlock.cluster.writers=one if one address takes all writes")
                .formatted(strategy, why, Strategies.LEASE);
    }
}
