package io.rowlock.micrometer;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.rowlock.client.event.LockInstrumentation.RenewalOutcome;
import java.time.Duration;

/** The meters of renewals of one strategy that came to the same. Thread-safe. */
final class RenewalMeters {
    private final Timer statements;
    private final DistributionSummary leases;

    /** The properties that they share. */
    record Group(String strategy, RenewalOutcome outcome) {
        private Tags tags() {
            return Tags.of("strategy", strategy, "outcome", LockObservationConvention.lowerCase(outcome));
        }
    }

    RenewalMeters(MeterRegistry registry, Group group) {
        statements = Timer.builder("rowlock.renewal")
                .description("Statements that renew leases")
                .tags(group.tags())
                .register(registry);
        leases = DistributionSummary.builder("rowlock.renewal.leases")
                .description("Leases in a statement that came to this outcome")
                .baseUnit("leases")
                .tags(group.tags())
                .register(registry);
    }

    void record(int renewed, Duration took) {
        statements.record(took);
        leases.record(renewed);
    }
}
