package io.rowlock.autoconfigure.store;

import io.rowlock.autoconfigure.ConditionalOnSwitch;
import io.rowlock.autoconfigure.RowlockAutoConfiguration;
import io.rowlock.autoconfigure.RowlockProperties;
import io.rowlock.autoconfigure.database.LockPools;
import io.rowlock.autoconfigure.database.RowlockDataSourceAutoConfiguration;
import io.rowlock.autoconfigure.database.TransactionalDataSource;
import io.rowlock.store.LockLog;
import io.rowlock.store.jdbc.lease.LeaseStore;
import io.rowlock.store.jdbc.lease.NamedLocks;
import io.rowlock.store.jdbc.lease.UniqueKeyStore;
import io.rowlock.store.jdbc.log.AsyncLockLog;
import io.rowlock.store.jdbc.rowlock.RowLockStore;
import io.rowlock.store.jdbc.rowlock.TransactionRowLocks;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.SameDatabase;
import io.rowlock.store.jdbc.session.TablePrefix;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Auto-configuration of the strategies that keep locks in the database. */
@AutoConfiguration(after = RowlockDataSourceAutoConfiguration.class, before = RowlockAutoConfiguration.class)
@ConditionalOnSwitch("rowlock.enabled")
@ConditionalOnBean(LockPools.class)
public final class RowlockStoreAutoConfiguration {
    @Bean
    @DependsOnDatabaseInitialization
    LockDatabase rowlockDatabase(LockPools pools, RowlockProperties properties) {
        RowlockProperties.Pool pool = properties.pool();
        return new LockDatabase(pools.locks(), pool.size(), pool.queryTimeout());
    }

    @Bean
    @ConditionalOnMissingBean(LockLog.class)
    @ConditionalOnProperty(name = "rowlock.log.mode", havingValue = "async", matchIfMissing = true)
    AsyncLockLog rowlockAsyncLog(LockDatabase database, TablePrefix prefix) {
        return new AsyncLockLog(database, prefix);
    }

    @Bean
    NamedLocks rowlockNamedLocks(LockPools pools, RowlockProperties properties) {
        RowlockProperties.Pool pool = properties.pool();
        return new NamedLocks(pools.waiting(), pool.size(), pool.queryTimeout());
    }

    // Last, so that an application's store of the same strategy wins
    @Bean
    @ConditionalOnMissingBean
    @Order(Ordered.LOWEST_PRECEDENCE)
    LeaseStore rowlockLeaseStore(
            LockDatabase database,
            TablePrefix prefix,
            NamedLocks namedLocks,
            RowlockProperties properties,
            LockPools pools) {
        LockDatabase batches = new LockDatabase(
                pools.batches(), LeaseStore.BATCHES, properties.pool().queryTimeout());
        return new LeaseStore(database, prefix, namedLocks, batches);
    }

    @Bean
    @Order(Ordered.LOWEST_PRECEDENCE)
    UniqueKeyStore rowlockUniqueKeyStore(LockDatabase database, TablePrefix prefix, NamedLocks namedLocks) {
        return new UniqueKeyStore(database, prefix, namedLocks);
    }

    @Bean
    SameDatabase rowlockSameDatabase(LockDatabase database, TablePrefix prefix) {
        return new SameDatabase(database, prefix);
    }

    @Bean
    TransactionRowLocks rowlockTransactionLocks(
            ListableBeanFactory beans, LockDatabase database, TablePrefix prefix, SameDatabase same) {
        return new TransactionRowLocks(database, () -> TransactionalDataSource.all(beans), same, prefix);
    }

    @Bean
    @ConditionalOnMissingBean
    @DependsOnDatabaseInitialization
    @Order(Ordered.LOWEST_PRECEDENCE)
    RowLockStore rowlockRowLockStore(
            LockPools pools, LockDatabase database, TablePrefix prefix, RowlockProperties properties) {
        return new RowLockStore(
                database,
                pools.rowLocks(),
                properties.pool().size(),
                prefix,
                properties.fencing().transactional());
    }
}
