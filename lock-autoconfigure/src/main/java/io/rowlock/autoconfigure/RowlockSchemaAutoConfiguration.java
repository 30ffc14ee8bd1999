package io.rowlock.autoconfigure;

import io.rowlock.store.jdbc.TablePrefix;
import org.flywaydb.core.Flyway;
import org.flywaydb.database.mysql.MySQLDatabaseType;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.sql.init.dependency.DatabaseInitializationDependencyConfigurer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * Auto-configuration of the lock tables. With Flyway they are migrated or validated; without it, they are only looked
 * for.
 */
@AutoConfiguration(after = RowlockDataSourceAutoConfiguration.class)
@ConditionalOnRowlockEnabled
@ConditionalOnBean(LockDataSource.class)
@Import(DatabaseInitializationDependencyConfigurer.class)
public final class RowlockSchemaAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    TablePrefix rowlockTablePrefix(RowlockProperties properties) {
        return new TablePrefix(properties.schema().tablePrefix());
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Flyway.class, MySQLDatabaseType.class})
    @Conditional(OnSchemaInitializationCondition.class)
    static class WithFlyway {
        @Bean
        @ConditionalOnMissingBean(LockSchemaInitializer.class)
        FlywayLockSchema rowlockSchema(LockDataSource dataSource, TablePrefix prefix, RowlockProperties properties) {
            return new FlywayLockSchema(dataSource, prefix, properties.schema().initialize());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Conditional(OnSchemaInitializationCondition.class)
    static class WithoutFlyway {
        @Bean
        @ConditionalOnMissingBean(LockSchemaInitializer.class)
        CheckedLockSchema rowlockSchema(LockDataSource dataSource, TablePrefix prefix) {
            LoggerFactory.getLogger(RowlockSchemaAutoConfiguration.class)
                    .info("Rowlock's tables are only looked for, not migrated: flyway-core and flyway-mysql are not "
                            + "on the class path");
            return new CheckedLockSchema(dataSource, prefix);
        }
    }
}
