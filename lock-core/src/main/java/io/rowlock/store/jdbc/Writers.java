package io.rowlock.store.jdbc;

import java.util.Map;
import java.util.Optional;

/** How many servers take writes to the lock tables at the same time. */
public enum Writers {
    /** One: its row locks are seen by every transaction. */
    ONE(Map.of()),

    /**
     * Several: each sees its own row locks only, and of two transactions the later one is rolled back when it commits, if both
     * changed a row. What one of them has only read does not count.
     */
    MANY(Map.of(
            RowLockStore.NAME,
            "row locks are not replicated, so two nodes would both hold it",
            UniqueKeyStore.NAME,
            "each server counts its tokens for itself, so they would not grow from one holder to the next"));

    private final Map<String, String> unfit;

    Writers(Map<String, String> unfit) {
        this.unfit = unfit;
    }

    /**
     * Says why a strategy cannot be used.
     *
     * @param strategy its name
     * @return a sentence for people, with what to do; empty if it can be used
     */
    public Optional<String> refusalOf(String strategy) {
        return Optional.ofNullable(unfit.get(strategy))
                .map(why -> ("The strategy \"%s\" cannot be used on a cluster of which several servers take writes: %s; use \"%s\", or set"
                                + " rowlock.cluster.writers=one if one address takes all writes")
                        .formatted(strategy, why, LeaseStore.NAME));
    }
}
