package io.rowlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.autoconfigure.database.RowlockDataSourceAutoConfiguration;
import io.rowlock.autoconfigure.micrometer.RowlockMicrometerAutoConfiguration;
import io.rowlock.client.observe.LockInstrumentation;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Which registries locks are measured with. No database answers, which is measured as well. */
class RowlockMicrometerAutoConfigurationTests {
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    RowlockAutoConfiguration.class,
                    RowlockDataSourceAutoConfiguration.class,
                    RowlockMicrometerAutoConfiguration.class))
            .withPropertyValues(
                    "spring.datasource.url=jdbc:mysql://127.0.0.1:1/test",
                    "rowlock.pool.connection-timeout=300ms",
                    "rowlock.schema.initialize=never");

    private static void askInVain(ApplicationContext context) {
        LockClient client = context.getBean(LockClient.class);
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> client.tryAcquire(LockRequest.exclusive("order:1")));
    }

    @Test
    void withoutARegistryNothingIsMeasured() {
        runner.run(context -> {
            assertThat(context).getBean(LockInstrumentation.class).isSameAs(LockInstrumentation.NONE);
            askInVain(context);
        });
    }

    @Test
    void withoutMicrometerNothingIsMeasured() {
        runner.withClassLoader(new FilteredClassLoader("io.micrometer"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("rowlockInstrumentation"));
    }

    @Test
    void metersNeedNoObservationsOfTheApplication() {
        runner.withBean(MeterRegistry.class, SimpleMeterRegistry::new).run(context -> {
            askInVain(context);
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            assertThat(meters.get("rowlock.acquire")
                            .tags("name", "order", "outcome", "error", "mode", "exclusive", "strategy", "lease")
                            .timer()
                            .count())
                    .isEqualTo(1);
            assertThat(meters.get("rowlock.lost").counter().count()).isZero();
            assertThat(meters.find("rowlock.acquire.active").longTaskTimer()).isNull();
        });
    }

    @Test
    void everyMeterIsDescribed() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        runner.withBean(MeterRegistry.class, () -> registry).run(context -> {
            registry.config().meterFilter(context.getBean(MeterFilter.class));
            askInVain(context);
            assertThat(registry.get("rowlock.acquire").meter().getId().getDescription())
                    .startsWith("Time from the request");
            assertThat(registry.getMeters())
                    .filteredOn(meter -> meter.getId().getName().startsWith("rowlock."))
                    .allSatisfy(meter -> assertThat(meter.getId().getDescription())
                            .as(meter.getId().getName())
                            .isNotBlank());
        });
    }

    @Test
    void observationsNeedNoMeters() {
        List<Observation.Context> stopped = new ArrayList<>();
        ObservationRegistry observations = ObservationRegistry.create();
        observations.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStop(Observation.Context context) {
                stopped.add(context);
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return "rowlock.acquire".equals(context.getName());
            }
        });
        runner.withBean(ObservationRegistry.class, () -> observations).run(context -> {
            askInVain(context);
            assertThat(stopped)
                    .singleElement()
                    .satisfies(observed -> assertThat(observed.getError()).isInstanceOf(LockStoreException.class));
        });
    }

    @Test
    void observationsOfTheApplicationMakeTheTimersIfItHasBoth() {
        runner.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withBean(ObservationRegistry.class, ObservationRegistry::create)
                .run(context -> {
                    askInVain(context);
                    MeterRegistry meters = context.getBean(MeterRegistry.class);
                    assertThat(meters.find("rowlock.acquire").timer()).isNull();
                    assertThat(meters.get("rowlock.lost").counter().count()).isZero();
                });
    }

    @Test
    void instrumentationOfTheApplicationWins() {
        LockInstrumentation mine = new LockInstrumentation() {};
        runner.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withBean("mine", LockInstrumentation.class, () -> mine)
                .run(context ->
                        assertThat(context.getBean(LockInstrumentation.class)).isSameAs(mine));
    }

    @Test
    void rowsThatTheLogDroppedAreCounted() {
        MeterRegistry meters = new SimpleMeterRegistry();
        runner.run(context -> {
            context.getBean("rowlockMetrics", MeterBinder.class).bindTo(meters);
            assertThat(meters.get("rowlock.log.dropped").functionCounter().count())
                    .isZero();
        });
        runner.withPropertyValues("rowlock.log.mode=off").run(context -> {
            MeterRegistry others = new SimpleMeterRegistry();
            context.getBean("rowlockMetrics", MeterBinder.class).bindTo(others);
            assertThat(others.find("rowlock.log.dropped").functionCounter()).isNull();
        });
    }

    @Test
    void disabledMeasuresNothing() {
        runner.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withPropertyValues("rowlock.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(LockInstrumentation.class));
    }
}
