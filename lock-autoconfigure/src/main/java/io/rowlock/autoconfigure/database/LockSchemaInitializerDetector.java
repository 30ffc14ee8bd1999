package io.rowlock.autoconfigure.database;

import java.util.Set;
import org.springframework.boot.sql.init.dependency.AbstractBeansOfTypeDatabaseInitializerDetector;
import org.springframework.core.Ordered;

/**
 * Puts Rowlock's initializer after the application's: Flyway refuses a schema that is not empty, so Rowlock's tables
 * must not be first.
 */
final class LockSchemaInitializerDetector extends AbstractBeansOfTypeDatabaseInitializerDetector {
    @Override
    protected Set<Class<?>> getDatabaseInitializerBeanTypes() {
        return Set.of(LockSchema.class);
    }

    @Override
    public int getOrder() {
        // Scripts (schema.sql) are at LOWEST_PRECEDENCE - 100, everybody else before them
        return Ordered.LOWEST_PRECEDENCE - 50;
    }
}
