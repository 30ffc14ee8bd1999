package io.rowlock.autoconfigure.database;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.autoconfigure.ConditionalOnSwitch;
import io.rowlock.autoconfigure.RowlockAutoConfiguration;
import io.rowlock.autoconfigure.RowlockProperties;
import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.sql.init.dependency.DatabaseInitializationDependencyConfigurer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.util.ClassUtils;

/**
 * Auto-configuration of the connections locks use: small pools that lead where {@code rowlock.datasource.url} says, or where the
 * application's DataSource leads. And of the lock tables there.
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
    static BeanFactoryPostProcessor rowlockPoolCheck() {
        return beans -> {
            if (!beans.containsBean("rowlockPools")) {
                throw new RowlockSetupException(
                        "Rowlock cannot make its connection pool, because HikariCP is not on the class path.",
                        "Add com.zaxxer:HikariCP to the class path.");
            }
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
    LockSchema rowlockSchema(
            LockPools pools, TablePrefix prefix, RowlockProperties properties, ConfigurableBeanFactory beans) {
        return new LockSchema(
                pools,
                prefix,
                properties.startup().timeout(),
                properties.schema().initialize(),
                () -> Stream.of("org.flywaydb.core.Flyway", "org.flywaydb.database.mysql.MySQLDatabaseType")
                        .allMatch(type -> ClassUtils.isPresent(type, beans.getBeanClassLoader())));
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
