package io.rowlock.autoconfigure;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;

/** Matches if there is anything to measure with. */
final class OnRegistryCondition extends AnyNestedCondition {
    OnRegistryCondition() {
        super(ConfigurationPhase.REGISTER_BEAN);
    }

    @ConditionalOnBean(MeterRegistry.class)
    static class Meters {}

    @ConditionalOnBean(ObservationRegistry.class)
    static class Observations {}
}
