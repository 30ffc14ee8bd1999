package io.rowlock.autoconfigure;

import io.rowlock.autoconfigure.datasource.LockDataSource;
import io.rowlock.autoconfigure.schema.FlywayLockSchema;
import io.rowlock.autoconfigure.schema.LockSchemaInitializer;
import io.rowlock.autoconfigure.schema.OnSchemaInitializationCondition;
import io.rowlock.store.jdbc.session.TablePrefix;
import org.flywaydb.core.Flyway;
import org.flywaydb.database.mysql.MySQLDatabaseType;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/** The lock tables, if Flyway can see to them. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({Flyway.class, MySQLDatabaseType.class})
@Conditional(OnSchemaInitializationCondition.class)
class FlywayLockSchemaConfiguration {
    @Bean
    @ConditionalOnMissingBean(LockSchemaInitializer.class)
    FlywayLockSchema rowlockSchema(LockDataSource dataSource, TablePrefix prefix, RowlockProperties properties) {
        boolean migrates = properties.schema().initialize() == RowlockProperties.Schema.Initialize.ALWAYS;
        return new FlywayLockSchema(dataSource, prefix, properties.startup().timeout(), migrates);
    }
}
