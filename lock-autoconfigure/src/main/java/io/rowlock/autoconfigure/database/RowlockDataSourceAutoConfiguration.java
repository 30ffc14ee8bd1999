package io.rowlock.autoconfigure.database;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.autoconfigure.ConditionalOnSwitch;
import io.rowlock.autoconfigure.RowlockAutoConfiguration;
import io.rowlock.autoconfigure.RowlockProperties;
import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactory;
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
            // A context above this one may have pools as well
            if (beans.containsBean("rowlockPools")
                    && beans.containsLocalBean("rowlockPools") == beans.containsLocalBean(LockPools.BEAN_NAME)) {
                return;
            }
            throw beans.containsBean(LockPools.BEAN_NAME)
                    ? new RowlockSetupException(
                            "The application declares a bean named \"%s\", which is the name of the pool that Rowlock makes for locks."
                                    .formatted(LockPools.BEAN_NAME),
                            "Remove the bean. " + LockPool.WAYS_OUT)
                    : new RowlockSetupException(
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
    @ConditionalOnMissingBean(name = LockPools.BEAN_NAME)
    static class OwnPools {
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

        @Bean
        LockPools rowlockPools(BeanFactory beans) {
            return LockPools.of(beans.getBean(LockPools.BEAN_NAME, DataSource.class));
        }
    }
}
