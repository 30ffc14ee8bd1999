package io.rowlock.sample.pause;

import java.util.List;

/**
 * What came of two withdrawals of which one was made to stand still. Amounts are in cents.
 *
 * @param accountId the account; its lock was {@code account:} and this number
 * @param paused the node that stood still
 * @param other the node that went on meanwhile
 * @param opened the balance before
 * @param paidOut what was paid out, as the rows of the withdrawals have it
 * @param balance the balance after, as the account's row has it
 * @param consistent whether these add up
 * @param refused whether the commit of the node that stood still was refused
 * @param sentence what that node said
 * @param sql what it sent to the database, in order
 */
record PauseResult(
        long accountId,
        boolean lock,
        String paused,
        String other,
        long opened,
        long paidOut,
        long balance,
        boolean consistent,
        boolean refused,
        String sentence,
        List<String> sql) {}
