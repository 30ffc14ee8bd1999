package io.rowlock.autoconfigure.database;

import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import io.rowlock.store.jdbc.session.LockDatabase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.BeanWrapperImpl;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * Finds what locks can work on behind a DataSource. Locks need connections of their own that all lead to one database: not the
 * connection of the thread's transaction, and not whatever the thread happens to be routed to.
 */
final class DirectDataSource {
    private static final int MOST_LAYERS = 20;

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
        DataSource direct = layers(dataSource).stream()
                .filter(layer -> !(layer instanceof TransactionAwareDataSourceProxy)
                        && !(layer instanceof LazyConnectionDataSourceProxy))
                .findFirst()
                .orElseThrow(() -> new RowlockSetupException(
                        "The DataSource \"%s\" is a proxy without a target.".formatted(bean), WAY_OUT));
        if (!isRouting(direct) && LockDatabase.wraps(direct, TransactionAwareDataSourceProxy.class)) {
            throw new RowlockSetupException(
                    ("The DataSource \"%s\" gives locks the connection of the thread's own transaction, because it wraps a"
                                    + " TransactionAwareDataSourceProxy. To take a lock would commit that transaction.")
                            .formatted(bean),
                    WAY_OUT);
        }
        return direct;
    }

    /** Returns true if the thread decides which database its connections lead to. */
    static boolean isRouting(DataSource dataSource) {
        return LockDatabase.wraps(dataSource, AbstractRoutingDataSource.class);
    }

    /** A DataSource and what it wraps, the outermost first. Also for Spring Boot 4.0, which cannot unwrap one wholly. */
    static List<DataSource> layers(DataSource dataSource) {
        List<DataSource> layers = new ArrayList<>();
        @Nullable DataSource layer = dataSource;
        while (layer != null && layers.size() < MOST_LAYERS && !layers.contains(layer)) {
            layers.add(layer);
            layer = wrapped(layer);
        }
        return layers;
    }

    private static @Nullable DataSource wrapped(DataSource dataSource) {
        if (dataSource instanceof DelegatingDataSource delegating) {
            return delegating.getTargetDataSource();
        }
        if (AopUtils.isAopProxy(dataSource)
                && AopProxyUtils.getSingletonTarget(dataSource) instanceof DataSource target) {
            return target;
        }
        try {
            DataSource unwrapped =
                    dataSource.isWrapperFor(DataSource.class) ? dataSource.unwrap(DataSource.class) : null;
            if (unwrapped != null && unwrapped != dataSource) {
                return unwrapped;
            }
            Object target = PoolAccess.value(new BeanWrapperImpl(dataSource), "dataSource");
            return target instanceof DataSource wrapped ? wrapped : null;
        } catch (SQLException | RuntimeException ex) {
            return null; // it has nothing to say about what it wraps
        }
    }
}
