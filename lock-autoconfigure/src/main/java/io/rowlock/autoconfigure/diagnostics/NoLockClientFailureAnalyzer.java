package io.rowlock.autoconfigure.diagnostics;

import io.rowlock.LockClient;
import io.rowlock.client.RowlockClient;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Explains why there is no LockClient to inject. Before Spring Boot's own analysis, which knows nothing of databases. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class NoLockClientFailureAnalyzer extends AbstractFailureAnalyzer<NoSuchBeanDefinitionException> {
    private static final Set<Class<?>> OURS = Set.of(LockClient.class, RowlockClient.class);

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoSuchBeanDefinitionException cause) {
        Class<?> wanted = cause.getBeanType();
        if (wanted == null || !OURS.contains(wanted) || cause instanceof NoUniqueBeanDefinitionException) {
            return null;
        }
        return new FailureAnalysis(
                "A bean needs a " + wanted.getSimpleName()
                        + ", but there is none: there is no DataSource or Redis to keep locks in, or rowlock.enabled is false.",
                "Give the application a DataSource of MySQL or MariaDB (spring.datasource.url and the driver), or for strategy"
                        + " redis the dependency io.rowlock:rowlock-redis-spring-boot-starter, declare a LockStore or LockClient bean, or, where locks are switched off on purpose, inject an"
                        + " ObjectProvider<LockClient>.",
                cause);
    }
}
