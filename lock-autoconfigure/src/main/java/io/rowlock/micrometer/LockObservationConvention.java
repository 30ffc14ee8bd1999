package io.rowlock.micrometer;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.rowlock.micrometer.LockObservationContext.Phase;
import java.util.Locale;

/** The names of waits and holds, unless the application says otherwise. The key of a lock is never a tag of a meter. */
record LockObservationConvention(Phase phase) implements ObservationConvention<LockObservationContext> {
    @Override
    public String getName() {
        return phase.observationName();
    }

    @Override
    public String getContextualName(LockObservationContext context) {
        return "%s %s".formatted(phase == Phase.ACQUIRE ? "acquire" : "hold", context.meterName());
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof LockObservationContext of && of.phase() == phase;
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
        return KeyValues.of(
                "name", context.meterName(),
                "mode", lowerCase(context.lock().mode()),
                "strategy", context.lock().strategy(),
                "outcome", lowerCase(context.outcome()));
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(LockObservationContext context) {
        KeyValues values = KeyValues.of("rowlock.key", context.lock().key());
        return context.fencingToken() == 0
                ? values
                : values.and("rowlock.token", Long.toString(context.fencingToken()));
    }

    static String lowerCase(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
