package io.rowlock.autoconfigure.database;

import io.rowlock.autoconfigure.RowlockProperties;
import io.rowlock.autoconfigure.RowlockProperties.Schema.Initialize;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.time.Duration;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.sql.init.dependency.DatabaseInitializationDependencyConfigurer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.ClassUtils;

/** The lock tables. With Flyway they are migrated or validated; without it, they are only looked for. */
@Configuration(proxyBeanMethods = false)
@Import(DatabaseInitializationDependencyConfigurer.class)
class SchemaConfiguration {
    @Bean
    TablePrefix rowlockTablePrefix(RowlockProperties properties) {
        return new TablePrefix(properties.schema().tablePrefix());
    }

    @Bean
    @Conditional(Initialized.class)
    LockSchemaInitializer rowlockSchema(
            LockDataSource dataSource,
            TablePrefix prefix,
            RowlockProperties properties,
            ConfigurableBeanFactory beans) {
        Duration timeout = properties.startup().timeout();
        if (haveFlyway(beans)) {
            boolean migrates = properties.schema().initialize() == Initialize.ALWAYS;
            return new LockSchema(dataSource, prefix, timeout, new FlywayLockSchema(prefix, timeout, migrates));
        }
        LoggerFactory.getLogger(LockSchema.class)
                .info(
                        "Rowlock's tables are only looked for, not migrated: flyway-core and flyway-mysql are not on the class path");
        return new LockSchema(dataSource, prefix, timeout, (schema, tables) -> {
            if (!tables.exist()) {
                throw SchemaFailure.missing(
                        prefix,
                        "Add org.flywaydb:flyway-core and org.flywaydb:flyway-mysql, then Rowlock creates its tables, or ");
            }
        });
    }

    /** Reads the property as it is bound. */
    static final class Initialized implements Condition {
        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return Binder.get(context.getEnvironment())
                            .bindOrCreate("rowlock.schema", RowlockProperties.Schema.class)
                            .initialize()
                    != Initialize.NEVER;
        }
    }

    private static boolean haveFlyway(ConfigurableBeanFactory beans) {
        return Stream.of("org.flywaydb.core.Flyway", "org.flywaydb.database.mysql.MySQLDatabaseType")
                .allMatch(type -> ClassUtils.isPresent(type, beans.getBeanClassLoader()));
    }
}
