package io.rowlock.autoconfigure.micrometer;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.metrics.micrometer.MicrometerMetricsTrackerFactory;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler.IgnoredMeters;
import io.micrometer.observation.ObservationRegistry;
import io.rowlock.autoconfigure.ConditionalOnSwitch;
import io.rowlock.autoconfigure.database.LockPools;
import io.rowlock.client.observe.LockInstrumentation;
import io.rowlock.micrometer.MicrometerInstrumentation;
import io.rowlock.store.jdbc.log.AsyncLockLog;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Auto-configuration of the meters and observations of locks. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
        })
@ConditionalOnSwitch("rowlock.enabled")
@ConditionalOnClass({MeterRegistry.class, ObservationRegistry.class})
public final class RowlockMicrometerAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean(LockInstrumentation.class)
    LockInstrumentation rowlockInstrumentation(
            ObjectProvider<MeterRegistry> meters, ObjectProvider<ObservationRegistry> observations) {
        MeterRegistry registry = meters.getIfUnique();
        ObservationRegistry observed = observations.getIfUnique();
        if (registry == null && observed == null) {
            return LockInstrumentation.NONE;
        }
        MeterRegistry measured = registry == null ? new CompositeMeterRegistry() : registry;
        return new MicrometerInstrumentation(measured, observed == null ? timersOnly(measured) : observed);
    }

    /** Makes timers of our observations, where the application has none of its own: the same way for all. */
    private static ObservationRegistry timersOnly(MeterRegistry registry) {
        ObservationRegistry observations = ObservationRegistry.create();
        observations
                .observationConfig()
                .observationHandler(new DefaultMeterObservationHandler(registry, IgnoredMeters.LONG_TASK_TIMER));
        return observations;
    }

    /** Applied by Spring Boot to every registry it configures. */
    @Bean
    static MeterFilter rowlockMeterDescriptions() {
        return MicrometerInstrumentation.descriptions();
    }

    @Bean
    MeterBinder rowlockMetrics(ObjectProvider<AsyncLockLog> logs) {
        return registry ->
                logs.ifAvailable(log -> FunctionCounter.builder("rowlock.log.dropped", log, AsyncLockLog::dropped)
                        .description("Rows of the lock log, or changes of them, that were not written")
                        .register(registry));
    }

    /** The meters of the lock pools: Spring Boot meters only pools that can be injected. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(HikariDataSource.class)
    static class Pools {
        @Bean
        MeterBinder rowlockPoolMetrics(ObjectProvider<LockPools> pools) {
            return registry -> pools.ifAvailable(own -> own.all().stream()
                    .filter(pool -> pool.getMetricsTrackerFactory() == null && pool.getMetricRegistry() == null)
                    .forEach(pool -> pool.setMetricsTrackerFactory(new MicrometerMetricsTrackerFactory(registry))));
        }
    }
}
