package io.rowlock.sample.pause;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of two withdrawals of which one was made to stand still. Amounts are in cents.
 *
 * @param key the key of the account's lock
 * @param strategy the strategy of that lock; null without the lock
 * @param paused the node that stood still
 * @param opened the balance before
 * @param paidOut the amount that was paid out, as the rows of the withdrawals have it
 * @param balance the balance after, as the account's row has it
 * @param consistent true if these add up
 * @param refused true if the commit of the node that stood still was refused
 * @param sentence the words of that node
 * @param sql the statements that it sent to the database, in order
 */
record PauseResult(
        long accountId,
        String key,
        @Nullable String strategy,
        String paused,
        long opened,
        long paidOut,
        long balance,
        boolean consistent,
        boolean refused,
        String sentence,
        List<String> sql) {}
