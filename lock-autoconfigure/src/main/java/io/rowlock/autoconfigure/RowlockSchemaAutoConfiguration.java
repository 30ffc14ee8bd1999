package io.rowlock.autoconfigure;

import io.rowlock.autoconfigure.datasource.LockDataSource;
import io.rowlock.store.jdbc.session.TablePrefix;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.sql.init.dependency.DatabaseInitializationDependencyConfigurer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * Auto-configuration of the lock tables. With Flyway they are migrated or validated; without it, they are only looked
 * for.
 */
@AutoConfiguration(after = RowlockDataSourceAutoConfiguration.class)
@ConditionalOnRowlockEnabled
@ConditionalOnBean(LockDataSource.class)
@Import({
    DatabaseInitializationDependencyConfigurer.class,
    FlywayLockSchemaConfiguration.class,
    CheckedLockSchemaConfiguration.class
})
public final class RowlockSchemaAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    TablePrefix rowlockTablePrefix(RowlockProperties properties) {
        return new TablePrefix(properties.schema().tablePrefix());
    }
}
