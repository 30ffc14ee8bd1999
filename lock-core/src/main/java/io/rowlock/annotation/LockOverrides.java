package io.rowlock.annotation;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What operators set for the locks of annotations with certain names. It wins over the annotation.
 *
 * @param byName the settings by the name of the annotation, its placeholders resolved
 */
public record LockOverrides(Map<String, Settings> byName) {
    /** Annotations apply as they are. */
    public static final LockOverrides NONE = new LockOverrides(Map.of());

    public LockOverrides {
        byName = Map.copyOf(byName);
    }

    /**
     * The settings of one name. A component that is null leaves the attribute of the annotation as it is.
     *
     * @param ttl how long a holder that died keeps the lock
     * @param waitTime how long to wait for a busy lock
     * @param strategy the name of the strategy
     * @param holdAtLeast how long the lock stays taken at least
     * @param onBusy what to do when the wait time is over
     * @param permits how many holders a permit may have beside it, itself included
     */
    public record Settings(
            @Nullable Duration ttl,
            @Nullable Duration waitTime,
            @Nullable String strategy,
            @Nullable Duration holdAtLeast,
            @Nullable OnBusy onBusy,
            @Nullable Integer permits) {

        private LockOperation applyTo(LockOperation operation) {
            return new LockOperation(
                    operation.annotated(),
                    operation.mode(),
                    operation.name(),
                    operation.key(),
                    ttl == null ? operation.ttl() : ttl,
                    waitTime == null ? operation.waitTime() : waitTime,
                    Objects.requireNonNullElse(onBusy, operation.onBusy()),
                    operation.fallback(),
                    Objects.requireNonNullElse(holdAtLeast, operation.holdAtLeast()),
                    strategy == null ? operation.strategy() : strategy,
                    operation.beginTransaction(),
                    operation.onLost(),
                    permits == null ? operation.permits() : permits,
                    operation.oncePerCluster());
        }
    }

    /** @return the operation with what is set for its name */
    LockOperation applyTo(LockOperation operation) {
        Settings settings = operation.name() == null ? null : byName.get(operation.name());
        return settings == null ? operation : settings.applyTo(operation);
    }
}
