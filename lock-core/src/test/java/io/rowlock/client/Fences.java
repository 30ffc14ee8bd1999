package io.rowlock.client;

import io.rowlock.client.lock.OpenTransactions;
import io.rowlock.store.CommitCheck;
import java.util.Map;

/** Fences of transactions of which nothing is known but what checks their locks. */
final class Fences {
    private Fences() {}

    /** @param checks by strategy */
    static TransactionFence of(RowlockClient client, Map<String, CommitCheck> checks) {
        return new TransactionFence(
                client,
                new OpenTransactions.Rules(
                        checks,
                        null,
                        client.staleReads(),
                        null,
                        () -> false,
                        () -> true,
                        () -> () -> false,
                        OpenTransactions.boundUnder(null),
                        null));
    }
}
