package io.rowlock.client.request;

import io.rowlock.Printable;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The defaults of a client.
 *
 * @param strategy the strategy of requests that name none
 * @param ttl the ttl of requests that name none
 * @param waitTime the patience of requests that name none
 * @param keyPrefix put before every key
 * @param owner how this process is shown in the tables; unique among the processes that use them
 * @param renewal whether leases are renewed unless a request says otherwise
 * @param renewalInterval how often, or null for a third of the shortest ttl in use
 * @param handoff how long a lease may be handed on within the process
 */
public record LockClientSettings(
        String strategy,
        Duration ttl,
        Duration waitTime,
        String keyPrefix,
        String owner,
        boolean renewal,
        @Nullable Duration renewalInterval,
        Handoff handoff) {

    private static final int MAX_OWNER_LENGTH = 100;
    private static final int MAX_PREFIX_BYTES = 200;

    public LockClientSettings {
        if (owner.isBlank() || owner.length() > MAX_OWNER_LENGTH) {
            throw new IllegalArgumentException("The owner \"%s\" has %d characters, 1 to %d are possible"
                    .formatted(Printable.of(owner), owner.length(), MAX_OWNER_LENGTH));
        }
        int prefixBytes = keyPrefix.getBytes(StandardCharsets.UTF_8).length;
        if (prefixBytes > MAX_PREFIX_BYTES) {
            throw new IllegalArgumentException("The key prefix \"%s\" has %d bytes of UTF-8, the limit is %d"
                    .formatted(keyPrefix, prefixBytes, MAX_PREFIX_BYTES));
        }
        if (waitTime.isNegative()) {
            throw new IllegalArgumentException("The wait time must not be negative, but is " + Printable.of(waitTime));
        }
        if (renewalInterval != null && (renewalInterval.isZero() || renewalInterval.isNegative())) {
            throw new IllegalArgumentException(
                    "The renewal interval must be positive, but is " + Printable.of(renewalInterval));
        }
    }
}
