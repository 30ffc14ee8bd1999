package io.rowlock.autoconfigure.transaction;

import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanWrapperImpl;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;

/** Finds the DataSource whose connection a transaction manager binds to the thread. */
final class TransactionalDataSource {
    private TransactionalDataSource() {}

    static @Nullable DataSource of(TransactionManager manager) {
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
