package io.rowlock.autoconfigure.transaction;

import com.baomidou.dynamic.datasource.tx.TransactionContext;
import io.rowlock.autoconfigure.ConditionalOnSwitch;
import io.rowlock.autoconfigure.RowlockAutoConfiguration;
import io.rowlock.autoconfigure.RowlockProperties;
import io.rowlock.autoconfigure.RowlockRedisProperties;
import io.rowlock.client.RowlockClient;
import io.rowlock.client.TransactionFence;
import io.rowlock.store.LockStore;
import io.rowlock.store.jdbc.fence.MarkRow;
import io.rowlock.store.jdbc.fence.TokenFence;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.SameDatabase;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.redis.RedisLockStore;
import jakarta.persistence.EntityManagerFactory;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.transaction.ConfigurableTransactionManager;

/** Auto-configuration of the fences that refuse a commit once a lock of the transaction is lost. */
@AutoConfiguration(after = RowlockAutoConfiguration.class)
@ConditionalOnSwitch({"rowlock.enabled", "rowlock.fencing.transactional"})
@ConditionalOnClass(ConfigurableTransactionManager.class)
@ConditionalOnBean(RowlockClient.class)
@EnableConfigurationProperties(RowlockProperties.class)
public final class RowlockTransactionAutoConfiguration {
    @Bean
    static EarlyFences rowlockEarlyFences(
            ConfigurableListableBeanFactory beans, ObjectProvider<TransactionFences> fences) {
        return new EarlyFences(List.of(beans.getBeanNamesForType(RowlockClient.class, false, false)), beans, fences);
    }

    @Bean
    TransactionFences rowlockTransactionFences(
            ListableBeanFactory beans,
            RowlockClient client,
            ObjectProvider<LockStore> stores,
            ObjectProvider<TokenFencing> tokens,
            ObjectProvider<LockDatabase> database,
            ObjectProvider<TablePrefix> prefix,
            ObjectProvider<SameDatabase> sameDatabase,
            RowlockProperties properties) {
        SameDatabase same = sameDatabase.getIfAvailable();
        return new TransactionFences(
                beans,
                client,
                stores.orderedStream().toList(),
                tokens.getIfAvailable(),
                same,
                transactional -> same == null
                        ? null
                        : new MarkRow(transactional, database.getObject(), prefix.getObject(), same),
                properties,
                ConcurrentHashMap.newKeySet());
    }

    /** The check of entities that were loaded before the lock. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(EntityManagerFactory.class)
    static class Jpa {
        @Bean
        EarlyEntityChecks rowlockEarlyEntityChecks(
                ListableBeanFactory beans, RowlockClient client, Environment environment) {
            return new EarlyEntityChecks(beans, client.staleReads(), environment);
        }
    }

    /** The transactions of dynamic-datasource, which have no manager, and whose commit no check can refuse. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(TransactionContext.class)
    static class DynamicDataSource {
        @Bean
        SmartInitializingSingleton rowlockRefusalInDsTransactions(RowlockClient client) {
            return () -> TransactionFence.requireAdmission(client, request -> {
                if (TransactionContext.getXID() != null
                        && !request.keys().stream().allMatch(client::isHeldByCurrentThread)) {
                    throw new IllegalStateException(
                            "A lock cannot be acquired inside of @DSTransactional, which commits though the lock is lost or released. Acquire it before that transaction begins, or use @Transactional instead");
                }
            });
        }
    }

    /** The checks of locks in Redis. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RedisLockStore.class)
    @ConditionalOnBean({RedisLockStore.class, RowlockRedisProperties.class, SameDatabase.class})
    static class Redis {
        @Bean
        TokenFencing rowlockRedisFencing(
                RedisLockStore store, LockDatabase database, TablePrefix prefix, RowlockRedisProperties redis) {
            boolean atBegin = redis.fence() == RowlockRedisProperties.Fence.BEGIN;
            return new TokenFencing(
                    RedisLockStore.NAME,
                    transactional -> redis.fence() == RowlockRedisProperties.Fence.NONE
                            ? null
                            : new TokenFence(transactional, database, prefix, atBegin, store::raise));
        }
    }
}
