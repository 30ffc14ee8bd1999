package io.rowlock.sample.pause;

import io.rowlock.sample.watch.Strategies;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A withdrawal that a node is asked for.
 *
 * @param accountId from which account
 * @param cents how much
 * @param strategy the strategy of the account's lock; null without the lock
 */
record Withdrawal(long accountId, long cents, @Nullable String strategy) {

    boolean locked() {
        return strategy != null;
    }

    boolean inRedis() {
        return Strategies.REDIS.equals(strategy);
    }

    /** The key of its lock. */
    String key() {
        return (inRedis() ? "account-in-redis:" : "account:") + accountId;
    }

    /**
     * What came of it.
     *
     * @param committed whether it was paid out
     * @param sentence what the node said of it
     * @param sql what was sent to the database for it, in order
     */
    record Done(boolean committed, String sentence, List<String> sql) {}
}
