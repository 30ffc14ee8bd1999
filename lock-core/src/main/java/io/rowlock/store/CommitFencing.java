package io.rowlock.store;

import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Makes the checks before a commit for one strategy. Comes from the module that owns the table the checks ask. */
public interface CommitFencing {
    /** @return the strategy whose leases are checked */
    String strategy();

    /**
     * The check for transactions on a DataSource.
     *
     * @param transactional where the transactions get their connections, or null if that is not known
     * @return the check; empty if these transactions do not reach the table, so that only the process's clock can refuse a
     *     commit
     */
    Optional<Fence> fenceOn(@Nullable DataSource transactional);
}
