package io.rowlock.autoconfigure.database;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.autoconfigure.ConditionalOnSwitch;
import io.rowlock.autoconfigure.RowlockAutoConfiguration;
import io.rowlock.autoconfigure.RowlockProperties;
import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
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
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.sql.init.dependency.DatabaseInitializationDependencyConfigurer;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Auto-configuration of the connections locks use: small pools that lead where {@code rowlock.datasource.url} says, or where the
 * application's DataSource leads. And of the lock tables there, with the strategies that keep locks in them.
 */
@AutoConfiguration(after = DataSourceAutoConfiguration.class, before = RowlockAutoConfiguration.class)
@ConditionalOnSwitch("rowlock.enabled")
@ConditionalOnClass(DataSource.class)
@Conditional(OnLockDatabaseCondition.class)
@EnableConfigurationProperties(RowlockProperties.class)
@Import(DatabaseInitializationDependencyConfigurer.class)
public final class RowlockDataSourceAutoConfiguration {
    /** Says why there are no pools, before a bean misses its {@link io.rowlock.LockClient}. */
    @Bean
    @ConditionalOnMissingClass("com.zaxxer.hikari.HikariDataSource")
    static BeanFactoryPostProcessor rowlockPoolCheck() {
        return beans -> {
            throw new RowlockSetupException(
                    "Rowlock cannot make its connection pool, because HikariCP is not on the class path.",
                    "Add com.zaxxer:HikariCP to the class path.");
        };
    }

    private static DataSource application(ObjectProvider<DataSource> applications) {
        try {
            return applications.getObject();
        } catch (NoUniqueBeanDefinitionException ex) {
            throw new RowlockSetupException(
                    "There are several DataSources, and Rowlock cannot know which of them leads to the lock tables: "
                            + ex.getBeanNamesFound() + ".",
                    "Mark the one whose database keeps the locks with @Primary. Or: " + LockPool.WAYS_OUT,
                    ex);
        }
    }

    @Bean
    TablePrefix rowlockTablePrefix(RowlockProperties properties) {
        return new TablePrefix(properties.schema().tablePrefix());
    }

    @Bean
    LockSchema rowlockSchema(LockPools pools, TablePrefix prefix, RowlockProperties properties) {
        return new LockSchema(
                pools,
                prefix,
                properties.startup().timeout(),
                properties.schema().initialize());
    }

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

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(HikariDataSource.class)
    @ConditionalOnMissingBean(LockPools.class)
    static class OwnPools {
        @Bean
        LockPools rowlockPools(
                ObjectProvider<DataSource> applications,
                ObjectProvider<JdbcConnectionDetails> details,
                RowlockProperties properties) {
            return LockPools.of(LockPool.create(
                    () -> application(applications),
                    details.getIfUnique(),
                    properties.datasource(),
                    properties.pool()));
        }
    }
}
