package io.rowlock.micrometer;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.rowlock.client.observe.ObservedLock;
import java.util.Locale;

/**
 * The facts of an observed wait for a lock, or of an observed hold. A
 * {@link io.micrometer.observation.GlobalObservationConvention} that {@code supportsContext} it, and returns the
 * {@linkplain Phase#observationName() name} of the phase it is for, gives such observations other names and values.
 *
 * <p>Changed and read by one thread at a time.
 */
public final class LockObservationContext extends Observation.Context {
    /** The observed part of a lock. */
    public enum Phase {
        /** The time it takes to get the lock. */
        ACQUIRE("rowlock.acquire"),
        /** The time for which the lock is held. */
        HELD("rowlock.held");

        private final String observationName;

        Phase(String observationName) {
            this.observationName = observationName;
        }

        /** @return the name of the observation, and of the timer that is made of it */
        public String observationName() {
            return observationName;
        }
    }

    /** The end of a wait or a hold. */
    public enum Outcome {
        /** The wait or hold has not ended yet. */
        UNKNOWN,
        /** The wait ended with the lock. */
        ACQUIRED,
        /** Others had the lock until the wait time was over. */
        BUSY,
        /** The waiting thread was interrupted. */
        INTERRUPTED,
        /** The lock was released. */
        RELEASED,
        /** The lock was lost. */
        LOST,
        /** The database did not answer. */
        ERROR
    }

    private final Phase phase;
    private final ObservedLock lock;
    private final String meterName;
    private long fencingToken;
    private Outcome outcome = Outcome.UNKNOWN;

    LockObservationContext(Phase phase, ObservedLock lock, String meterName, long fencingToken) {
        this.phase = phase;
        this.lock = lock;
        this.meterName = meterName;
        this.fencingToken = fencingToken;
    }

    /** @return what is observed */
    public Phase phase() {
        return phase;
    }

    /** @return the lock, with its key and its static name */
    public ObservedLock lock() {
        return lock;
    }

    /** @return the static name, or {@code "other"} if there are too many different ones for meters */
    public String meterName() {
        return meterName;
    }

    /** @return the token of the lease, or 0 as long as there is none */
    public long fencingToken() {
        return fencingToken;
    }

    /** @return how it ended */
    public Outcome outcome() {
        return outcome;
    }

    void acquired(long token) {
        fencingToken = token;
    }

    void ended(Outcome how) {
        outcome = how;
    }

    /** The names of waits and holds, unless the application says otherwise. The key of a lock is never a tag of a meter. */
    record Convention(Phase phase) implements ObservationConvention<LockObservationContext> {
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
}
