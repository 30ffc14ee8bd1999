package io.rowlock.autoconfigure;

import io.rowlock.autoconfigure.datasource.LockDataSource;
import io.rowlock.autoconfigure.schema.CheckedLockSchema;
import io.rowlock.autoconfigure.schema.LockSchemaInitializer;
import io.rowlock.autoconfigure.schema.OnSchemaInitializationCondition;
import io.rowlock.store.jdbc.session.TablePrefix;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/** The lock tables, if there is no Flyway to see to them. */
@Configuration(proxyBeanMethods = false)
@Conditional(OnSchemaInitializationCondition.class)
class CheckedLockSchemaConfiguration {
    @Bean
    @ConditionalOnMissingBean(LockSchemaInitializer.class)
    CheckedLockSchema rowlockSchema(LockDataSource dataSource, TablePrefix prefix, RowlockProperties properties) {
        LoggerFactory.getLogger(CheckedLockSchemaConfiguration.class)
                .info("Rowlock's tables are only looked for, not migrated: flyway-core and flyway-mysql are not on the "
                        + "class path");
        return new CheckedLockSchema(dataSource, prefix, properties.startup().timeout());
    }
}
