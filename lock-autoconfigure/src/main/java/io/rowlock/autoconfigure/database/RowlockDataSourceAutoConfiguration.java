package io.rowlock.autoconfigure.database;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.autoconfigure.ConditionalOnSwitch;
import io.rowlock.autoconfigure.RowlockAutoConfiguration;
import io.rowlock.autoconfigure.RowlockProperties;
import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import io.rowlock.store.jdbc.lease.LeaseStore;
import io.rowlock.store.jdbc.rowlock.RowLockStore;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * Auto-configuration of the connections locks use: a bean named {@code rowlockDataSource} if there is one,
 * otherwise a small pool that leads where {@code rowlock.datasource.url} says, or where the application's DataSource leads. And of
 * the lock tables there.
 */
@AutoConfiguration(after = DataSourceAutoConfiguration.class, before = RowlockAutoConfiguration.class)
@ConditionalOnSwitch("rowlock.enabled")
@ConditionalOnClass(DataSource.class)
@Conditional(OnLockDatabaseCondition.class)
@EnableConfigurationProperties(RowlockProperties.class)
@Import(SchemaConfiguration.class)
public final class RowlockDataSourceAutoConfiguration {
    @Bean
    LockDataSource rowlockLockDataSource(ConfigurableListableBeanFactory beans, ObjectProvider<OwnPool> ownPool) {
        if (ownPool.getIfAvailable() != null) {
            return LockDataSource.pool(beans.getBean(LockPools.BEAN_NAME, DataSource.class));
        }
        if (beans.containsBean(LockPools.BEAN_NAME)) {
            return LockDataSource.declared(beans.getBean(LockPools.BEAN_NAME, DataSource.class), LockPools.BEAN_NAME);
        }
        throw new RowlockSetupException(
                "Rowlock cannot make its connection pool, because HikariCP is not on the class path.",
                LockPool.WAYS_OUT,
                null);
    }

    private static DataSource application(ObjectProvider<DataSource> applications) {
        try {
            return applications.getObject();
        } catch (NoUniqueBeanDefinitionException ex) {
            throw new RowlockSetupException(
                    "There are several DataSources, and Rowlock cannot know which of them leads to the lock tables: "
                            + ex.getBeanNamesFound() + ".",
                    "Mark the one whose database keeps the locks with @Primary, set rowlock.datasource.url, or declare a DataSource "
                            + "for locks, a bean named \"rowlockDataSource\" with @Bean(autowireCandidate = false).",
                    ex);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(HikariDataSource.class)
    @ConditionalOnMissingBean(name = LockPools.BEAN_NAME)
    static class OwnPool {
        // No candidate for injection, so that the application's own DataSource stays the single one everywhere, and
        // its health is not reported twice
        @Bean(name = LockPools.BEAN_NAME, autowireCandidate = false)
        HikariDataSource rowlockDataSource(
                ObjectProvider<DataSource> applications,
                ObjectProvider<JdbcConnectionDetails> details,
                RowlockProperties properties) {
            return LockPool.create(
                    () -> application(applications), details.getIfUnique(), properties.datasource(), properties.pool());
        }

        // Opens no connection before a thread waits for a lock of another process
        @Bean(name = LockPools.WAITING_BEAN_NAME, autowireCandidate = false)
        HikariDataSource rowlockWaitingDataSource(BeanFactory beans) {
            return LockPool.forWaiting(LockPool.own(beans.getBean(LockPools.BEAN_NAME, DataSource.class)));
        }

        // Opens no connection before many leases are taken at once
        @Bean(name = LockPools.BATCH_BEAN_NAME, autowireCandidate = false)
        @ConditionalOnMissingBean(LeaseStore.class)
        HikariDataSource rowlockBatchDataSource(BeanFactory beans) {
            return LockPool.forBatches(LockPool.own(beans.getBean(LockPools.BEAN_NAME, DataSource.class)));
        }

        // Opens no connection before the first row lock is taken
        @Bean(name = LockPools.ROW_LOCK_BEAN_NAME, autowireCandidate = false)
        @ConditionalOnMissingBean(RowLockStore.class)
        HikariDataSource rowlockRowLockDataSource(BeanFactory beans) {
            return LockPool.forRowLocks(LockPool.own(beans.getBean(LockPools.BEAN_NAME, DataSource.class)));
        }
    }
}
