package io.rowlock.autoconfigure.transaction;

import io.rowlock.autoconfigure.ConditionalOnSwitch;
import io.rowlock.autoconfigure.RowlockAutoConfiguration;
import io.rowlock.autoconfigure.RowlockProperties;
import io.rowlock.autoconfigure.RowlockRedisProperties;
import io.rowlock.autoconfigure.database.LockDataSource;
import io.rowlock.client.RowlockClient;
import io.rowlock.store.CommitFencing;
import io.rowlock.store.jdbc.fence.MarkRow;
import io.rowlock.store.jdbc.fence.TokenFence;
import io.rowlock.store.jdbc.lease.ExpiringRowFence;
import io.rowlock.store.jdbc.lease.LeaseStore;
import io.rowlock.store.jdbc.lease.UniqueKeyStore;
import io.rowlock.store.jdbc.rowlock.RowLockFence;
import io.rowlock.store.jdbc.rowlock.RowLockStore;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.SameDatabase;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.redis.RedisLockStore;
import jakarta.persistence.EntityManagerFactory;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.transaction.ConfigurableTransactionManager;

/** Auto-configuration of the fences that refuse a commit once a lock of the transaction is lost. */
@AutoConfiguration(after = RowlockAutoConfiguration.class)
@ConditionalOnSwitch({"rowlock.enabled", "rowlock.fencing.transactional"})
@ConditionalOnClass(ConfigurableTransactionManager.class)
@ConditionalOnBean(RowlockClient.class)
public final class RowlockTransactionAutoConfiguration {
    @Bean
    TransactionFences rowlockTransactionFences(
            ListableBeanFactory beans,
            RowlockClient client,
            ObjectProvider<CommitFencing> fencings,
            ObjectProvider<LockDatabase> database,
            ObjectProvider<TablePrefix> prefix,
            RowlockProperties properties) {
        LockDatabase locks = database.getIfAvailable();
        TablePrefix tables = prefix.getIfAvailable();
        Duration queryTimeout = properties.pool().queryTimeout();
        SameDatabase same = locks == null || tables == null ? null : new SameDatabase(locks, tables);
        return new TransactionFences(
                beans,
                client,
                fencings.orderedStream().toList(),
                same,
                transactional -> locks == null || tables == null || same == null
                        ? null
                        : new MarkRow(transactional, locks, tables, queryTimeout, same),
                new TransactionFences.Settings(
                        properties.fencing().uncovered(),
                        Set.copyOf(properties.fencing().unguardedManagers()),
                        properties.schema().initialize() != RowlockProperties.Schema.Initialize.NEVER,
                        queryTimeout));
    }

    /** The check of entities that were loaded before the lock. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({EntityManagerFactory.class, SessionFactoryImplementor.class})
    static class Hibernate {
        @Bean
        EarlyEntityChecks rowlockEarlyEntityChecks(
                ListableBeanFactory beans, RowlockClient client, Environment environment) {
            return new EarlyEntityChecks(beans, client.staleReads(), environment);
        }
    }

    /** JPA with another provider. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(EntityManagerFactory.class)
    @ConditionalOnMissingClass("org.hibernate.engine.spi.SessionFactoryImplementor")
    static class OtherJpa {
        @Bean
        SmartInitializingSingleton rowlockOpenInViewCheck(ListableBeanFactory beans, Environment environment) {
            return () -> List.of(beans.getBeanNamesForType(EntityManagerFactory.class, false, true))
                    .forEach(name -> OpenInView.warn(name, environment));
        }
    }

    /** The checks of the strategies in the lock tables. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean({LockDataSource.class, TablePrefix.class})
    static class LockTables {
        private final TablePrefix prefix;
        private final Duration queryTimeout;

        LockTables(TablePrefix prefix, RowlockProperties properties) {
            this.prefix = prefix;
            this.queryTimeout = properties.pool().queryTimeout();
        }

        @Bean
        @ConditionalOnBean(LeaseStore.class)
        CommitFencing rowlockLeaseFencing() {
            return new LockTableFencing(
                    LeaseStore.NAME, transactional -> new ExpiringRowFence(transactional, prefix, queryTimeout));
        }

        @Bean
        @ConditionalOnBean(UniqueKeyStore.class)
        CommitFencing rowlockUniqueKeyFencing() {
            return new LockTableFencing(
                    UniqueKeyStore.NAME,
                    transactional -> ExpiringRowFence.ofUniqueKeys(transactional, prefix, queryTimeout));
        }

        // Asked for when all beans exist: an application may declare its store by a wider type
        @Bean
        CommitFencing rowlockRowLockFencing(ObjectProvider<RowLockStore> stores) {
            return new LockTableFencing(RowLockStore.NAME, transactional -> {
                RowLockStore store = stores.getIfAvailable();
                return store == null ? null : new RowLockFence(transactional, prefix, queryTimeout, store);
            });
        }
    }

    /** The checks of locks in Redis. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RedisLockStore.class)
    @ConditionalOnBean({
        RedisLockStore.class,
        RowlockRedisProperties.class,
        LockDataSource.class,
        LockDatabase.class,
        TablePrefix.class
    })
    static class Redis {
        @Bean
        CommitFencing rowlockRedisFencing(
                RedisLockStore store,
                LockDataSource locks,
                LockDatabase database,
                TablePrefix prefix,
                RowlockProperties properties,
                RowlockRedisProperties redis) {
            Duration queryTimeout = properties.pool().queryTimeout();
            boolean atBegin = redis.fence() == RowlockRedisProperties.Fence.BEGIN;
            return new TokenFencing(
                    RedisLockStore.NAME,
                    locks,
                    transactional -> redis.fence() == RowlockRedisProperties.Fence.NONE
                            ? null
                            : new TokenFence(transactional, database, prefix, queryTimeout, atBegin, store::raise),
                    properties.schema().initialize() == RowlockProperties.Schema.Initialize.NEVER);
        }
    }
}
