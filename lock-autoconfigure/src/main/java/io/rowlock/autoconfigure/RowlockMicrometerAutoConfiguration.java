package io.rowlock.autoconfigure;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler.IgnoredMeters;
import io.micrometer.observation.ObservationRegistry;
import io.rowlock.client.event.LockInstrumentation;
import io.rowlock.micrometer.MicrometerInstrumentation;
import io.rowlock.micrometer.ObservedMeterDescriptions;
import io.rowlock.store.jdbc.cleanup.CleanUpJob;
import io.rowlock.store.jdbc.log.AsyncLockLog;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/** Auto-configuration of the meters and observations of locks. */
@AutoConfiguration(
        after = RowlockStoreAutoConfiguration.class,
        before = RowlockAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
        })
@ConditionalOnRowlockEnabled
@ConditionalOnClass({MeterRegistry.class, ObservationRegistry.class})
public final class RowlockMicrometerAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean(LockInstrumentation.class)
    @Conditional(OnRegistryCondition.class)
    MicrometerInstrumentation rowlockInstrumentation(
            ObjectProvider<MeterRegistry> meters, ObjectProvider<ObservationRegistry> observations) {
        MeterRegistry registry = meters.getIfUnique(CompositeMeterRegistry::new);
        return new MicrometerInstrumentation(registry, observations.getIfUnique(() -> timersOnly(registry)));
    }

    /** One way for all: without the application's observations there are ours, and timers are made of them. */
    private static ObservationRegistry timersOnly(MeterRegistry registry) {
        ObservationRegistry observations = ObservationRegistry.create();
        observations
                .observationConfig()
                .observationHandler(new DefaultMeterObservationHandler(registry, IgnoredMeters.LONG_TASK_TIMER));
        return observations;
    }

    /** Applied by Spring Boot to every registry it configures. */
    @Bean
    @ConditionalOnMissingBean
    static ObservedMeterDescriptions rowlockMeterDescriptions() {
        return new ObservedMeterDescriptions();
    }

    @Bean
    @ConditionalOnBean(CleanUpJob.class)
    MeterBinder rowlockCleanUpMetrics(CleanUpJob job) {
        return registry -> FunctionCounter.builder("rowlock.cleanup.failures", job, CleanUpJob::failures)
                .description("Tables that a round of the clean-up could not clean")
                .register(registry);
    }

    @Bean
    @ConditionalOnBean(AsyncLockLog.class)
    MeterBinder rowlockLogMetrics(AsyncLockLog log) {
        return registry -> FunctionCounter.builder("rowlock.log.dropped", log, AsyncLockLog::dropped)
                .description("Rows of the lock log, or changes of them, that were not written")
                .register(registry);
    }
}
