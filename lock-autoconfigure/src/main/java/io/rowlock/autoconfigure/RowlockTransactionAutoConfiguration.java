package io.rowlock.autoconfigure;

import io.rowlock.autoconfigure.datasource.LockDataSource;
import io.rowlock.autoconfigure.transaction.TransactionFences;
import io.rowlock.client.RowlockClient;
import io.rowlock.store.Fence;
import io.rowlock.store.jdbc.TablePrefix;
import io.rowlock.store.jdbc.lease.ExpiringRowFence;
import io.rowlock.store.jdbc.lease.LeaseStore;
import io.rowlock.store.jdbc.lease.UniqueKeyStore;
import io.rowlock.store.jdbc.rowlock.RowLockFence;
import io.rowlock.store.jdbc.rowlock.RowLockStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.ConfigurableTransactionManager;

/** Auto-configuration of the fences that refuse a commit once a lock of the transaction is lost. */
@AutoConfiguration(after = RowlockAutoConfiguration.class)
@ConditionalOnRowlockEnabled
@ConditionalOnClass(ConfigurableTransactionManager.class)
@ConditionalOnBean(RowlockClient.class)
@ConditionalOnBooleanProperty(name = "rowlock.fencing.transactional", matchIfMissing = true)
public final class RowlockTransactionAutoConfiguration {
    @Bean
    TransactionFences rowlockTransactionFences(
            ListableBeanFactory beans,
            RowlockClient client,
            ObjectProvider<LockDataSource> locks,
            ObjectProvider<LeaseStore> leases,
            ObjectProvider<UniqueKeyStore> uniqueKeys,
            ObjectProvider<RowLockStore> rowLocks,
            ObjectProvider<TablePrefix> prefix,
            RowlockProperties properties) {
        return new TransactionFences(beans, client, locks.getIfAvailable(), transactional -> {
            Duration queryTimeout = properties.pool().queryTimeout();
            Map<String, Fence> fences = new HashMap<>();
            leases.ifAvailable(store -> fences.put(
                    LeaseStore.NAME,
                    new ExpiringRowFence(
                            transactional,
                            prefix.getObject(),
                            queryTimeout,
                            properties.cluster().said())));
            uniqueKeys.ifAvailable(store -> fences.put(
                    UniqueKeyStore.NAME,
                    ExpiringRowFence.ofUniqueKeys(transactional, prefix.getObject(), queryTimeout)));
            rowLocks.ifAvailable(store -> fences.put(
                    RowLockStore.NAME, new RowLockFence(transactional, prefix.getObject(), queryTimeout, store)));
            return fences;
        });
    }
}
