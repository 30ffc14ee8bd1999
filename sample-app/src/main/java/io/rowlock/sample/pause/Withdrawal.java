package io.rowlock.sample.pause;

import java.util.List;

/**
 * A withdrawal that a node is asked for.
 *
 * @param accountId from which account
 * @param cents how much
 * @param lock whether under the account's lock
 */
record Withdrawal(long accountId, long cents, boolean lock) {

    /**
     * What came of it.
     *
     * @param committed whether it was paid out
     * @param sentence what the node said of it
     * @param sql what was sent to the database for it, in order
     */
    record Done(boolean committed, String sentence, List<String> sql) {}
}
