package io.rowlock.micrometer;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import java.util.Map;

/** Describes the meters that observation handlers make of waits and holds, which say nothing about themselves. Thread-safe. */
final class ObservedMeterDescriptions implements MeterFilter {
    private static final Map<String, String> DESCRIPTIONS = Map.of(
            "rowlock.acquire", "Time from the request for a lock until it was granted or the attempt ended",
            "rowlock.acquire.active", "Time that threads have waited for a lock so far",
            "rowlock.held", "Time from the grant of a lock until it ended",
            "rowlock.held.active", "Time that locks have been held so far");

    @Override
    public Meter.Id map(Meter.Id id) {
        String description = id.getDescription() == null ? DESCRIPTIONS.get(id.getName()) : null;
        return description == null
                ? id
                : new Meter.Id(
                        id.getName(), Tags.of(id.getTagsAsIterable()), id.getBaseUnit(), description, id.getType());
    }
}
