package io.rowlock.client;

import io.rowlock.client.lock.OpenTransactions;
import io.rowlock.store.CommitCheck;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Fences of transactions of which nothing is known but what checks their locks. */
public final class Fences {
    private Fences() {}

    /** @param checks by strategy */
    public static TransactionFence of(RowlockClient client, Map<String, CommitCheck> checks) {
        return of(client, checks, () -> () -> false);
    }

    /**
     * @param checks by strategy
     * @param rowLocks returns what tells whether row locks of the current transaction can still last
     */
    public static TransactionFence of(
            RowlockClient client, Map<String, CommitCheck> checks, Supplier<BooleanSupplier> rowLocks) {
        return new TransactionFence(
                client,
                new OpenTransactions.Rules(
                        checks,
                        null,
                        client.staleReads(),
                        null,
                        () -> false,
                        () -> true,
                        rowLocks,
                        OpenTransactions.boundUnder(null),
                        null));
    }
}
