package io.rowlock.autoconfigure.database;

import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanWrapperImpl;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;

/** Finds the DataSource whose connection a transaction manager binds to the thread. */
public final class TransactionalDataSource {
    private TransactionalDataSource() {}

    /**
     * Returns the DataSources of all transaction managers.
     *
     * @param beans where the transaction managers are
     * @return them, each once
     */
    public static List<DataSource> all(ListableBeanFactory beans) {
        return beans.getBeansOfType(TransactionManager.class, false, true).values().stream()
                .map(TransactionalDataSource::of)
                .filter(Objects::nonNull)
                .distinct()
                .toList();
    }

    public static @Nullable DataSource of(TransactionManager manager) {
        if (manager instanceof ResourceTransactionManager resource
                && resource.getResourceFactory() instanceof DataSource dataSource) {
            return dataSource;
        }
        // JpaTransactionManager and others expose the connection of a DataSource beside their own resource
        BeanWrapperImpl properties = new BeanWrapperImpl(manager);
        return properties.isReadableProperty("dataSource")
                        && properties.getPropertyValue("dataSource") instanceof DataSource dataSource
                ? dataSource
                : null;
    }
}
