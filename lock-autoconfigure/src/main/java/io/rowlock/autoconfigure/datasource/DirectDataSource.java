package io.rowlock.autoconfigure.datasource;

import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * What a DataSource gives locks to work on. Locks need connections of their own that all lead to one database: not the
 * connection of the thread's transaction, and not whatever the thread happens to be routed to.
 */
final class DirectDataSource {
    private static final String WAY_OUT =
            "Declare a DataSource for locks that leads straight to the database, a bean named"
                    + " \"rowlockDataSource\" with @Bean(autowireCandidate = false).";

    private DirectDataSource() {}

    /**
     * The same connections without the proxies that tie them to the thread's transaction.
     *
     * @param bean what the DataSource is called, for people to read
     * @throws RowlockSetupException if something that is not Spring's own wraps such a proxy
     */
    static DataSource behind(DataSource dataSource, String bean) {
        DataSource direct = dataSource;
        while (isTied(direct)) {
            DataSource target = ((DelegatingDataSource) direct).getTargetDataSource();
            if (target == null) {
                throw new RowlockSetupException(
                        "The DataSource \"%s\" is a proxy without a target.".formatted(bean), WAY_OUT, null);
            }
            direct = target;
        }
        if (!isRouting(direct) && wraps(direct, TransactionAwareDataSourceProxy.class)) {
            throw new RowlockSetupException(
                    ("The DataSource \"%s\" gives locks the connection of the thread's own transaction, because it wraps a"
                                    + " TransactionAwareDataSourceProxy. To take a lock would commit that transaction.")
                            .formatted(bean),
                    WAY_OUT,
                    null);
        }
        return direct;
    }

    private static boolean isTied(@Nullable DataSource dataSource) {
        return dataSource instanceof TransactionAwareDataSourceProxy
                || dataSource instanceof LazyConnectionDataSourceProxy;
    }

    /** Whether the thread decides which database its connections lead to. */
    static boolean isRouting(DataSource dataSource) {
        return wraps(dataSource, AbstractRoutingDataSource.class);
    }

    /** @throws RowlockSetupException if locks of one key could end up in several databases */
    static void requireOneDatabase(DataSource dataSource, String bean) {
        if (isRouting(dataSource)) {
            throw new RowlockSetupException(
                    ("The DataSource \"%s\" routes each thread to a database of its own, so the locks of one key would be in"
                                    + " several, and several threads could have the same lock.")
                            .formatted(bean),
                    WAY_OUT,
                    null);
        }
    }

    private static boolean wraps(DataSource dataSource, Class<?> kind) {
        try {
            return dataSource.isWrapperFor(kind);
        } catch (SQLException | RuntimeException ex) {
            return false; // it has nothing to say about what it wraps
        }
    }
}
