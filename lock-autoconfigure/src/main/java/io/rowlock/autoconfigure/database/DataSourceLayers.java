package io.rowlock.autoconfigure.database;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.BeanWrapperImpl;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Finds what is behind a DataSource. */
final class DataSourceLayers {
    private static final int MOST = 20;

    private DataSourceLayers() {}

    /** A DataSource and what it wraps, the outermost first. Also for Spring Boot 4.0, which cannot unwrap one wholly. */
    static List<DataSource> of(DataSource dataSource) {
        List<DataSource> layers = new ArrayList<>();
        @Nullable DataSource layer = dataSource;
        while (layer != null && layers.size() < MOST && !layers.contains(layer)) {
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
