package io.rowlock.client;

import io.rowlock.client.lock.OpenTransactions;
import io.rowlock.store.CommitCheck;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Fences of transactions of which little is known but what checks their locks. */
public final class Fences {
    private Fences() {}

    /** @param checks by strategy */
    static TransactionFence of(RowlockClient client, Map<String, CommitCheck> checks) {
        return of(client, checks, false, null, null);
    }

    /**
     * @param checks by strategy
     * @param rowLocks whether row locks of the transactions last
     * @param resource what transactions are bound under, if that is known
     */
    public static TransactionFence of(
            RowlockClient client,
            Map<String, CommitCheck> checks,
            boolean rowLocks,
            @Nullable Object resource,
            @Nullable DataSource dataSource) {
        return new TransactionFence(
                client,
                new OpenTransactions.Rules(
                        checks,
                        null,
                        client.staleReads(),
                        null,
                        () -> false,
                        () -> true,
                        () -> () -> rowLocks,
                        OpenTransactions.boundUnder(resource),
                        dataSource));
    }
}
