package io.rowlock.autoconfigure;

import io.rowlock.store.jdbc.LeaseStore;
import io.rowlock.store.jdbc.LockDatabase;
import io.rowlock.store.jdbc.TablePrefix;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Auto-configuration of the strategies that keep locks in the database. */
@AutoConfiguration(after = RowlockSchemaAutoConfiguration.class)
@ConditionalOnRowlockEnabled
@ConditionalOnBean(LockDataSource.class)
public final class RowlockStoreAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    @DependsOnDatabaseInitialization
    LockDatabase rowlockDatabase(LockDataSource dataSource, RowlockProperties properties) {
        return new LockDatabase(dataSource.connections(), properties.pool().queryTimeout(), dataSource.unprepared());
    }

    // Last, so that an application's store of the same strategy wins
    @Bean
    @ConditionalOnMissingBean
    @Order(Ordered.LOWEST_PRECEDENCE)
    LeaseStore rowlockLeaseStore(LockDatabase database, TablePrefix prefix) {
        return new LeaseStore(database, prefix);
    }
}
