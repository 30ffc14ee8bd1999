package io.rowlock.autoconfigure;

import io.rowlock.Printable;
import io.rowlock.autoconfigure.settings.ConditionalOnSwitch;
import io.rowlock.autoconfigure.settings.KnownSettings;
import io.rowlock.autoconfigure.settings.SettingsCheck;
import io.rowlock.interceptor.LockReport;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Auto-configuration of what is checked and said of the properties themselves, wherever locks are kept. */
@AutoConfiguration
public final class RowlockSettingsAutoConfiguration {
    private static final Logger log = LoggerFactory.getLogger(RowlockSettingsAutoConfiguration.class);

    /** Locks are taken. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnRowlockEnabled
    static class Enabled {
        @Bean
        static SettingsCheck rowlockSettingsCheck(Environment environment) {
            return new SettingsCheck(
                    environment,
                    new KnownSettings()
                            .with("rowlock", RowlockProperties.class)
                            .with("rowlock.redis", RowlockRedisProperties.class));
        }
    }

    /** Warns of values that are possible each by itself. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnRowlockEnabled
    static class Together {
        @Bean
        SmartInitializingSingleton rowlockTimeoutWarning(ObjectProvider<RowlockProperties> bound) {
            return () -> bound.ifAvailable(Together::warnIfLocksEndFirst);
        }

        private static void warnIfLocksEndFirst(RowlockProperties properties) {
            Duration queryTimeout = properties.pool().queryTimeout();
            if (queryTimeout.compareTo(properties.ttl()) > 0) {
                log.warn(
                        "rowlock.pool.query-timeout ({}) is longer than rowlock.ttl ({}): while the server does not answer, locks are lost before a statement gives up",
                        Printable.of(queryTimeout),
                        Printable.of(properties.ttl()));
            }
        }
    }

    /** No lock is taken. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnSwitch(value = "rowlock.enabled", on = false)
    static class Disabled {
        @Bean
        SmartInitializingSingleton rowlockDisabledWarning(ListableBeanFactory beans, Environment environment) {
            return () -> log.warn(
                    "Rowlock is disabled (rowlock.enabled=false). Methods that run without their lock or leader, on every node: {}",
                    LockReport.guardedMethods(beans, environment::resolvePlaceholders));
        }
    }
}
