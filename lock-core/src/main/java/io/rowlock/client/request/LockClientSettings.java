package io.rowlock.client.request;

import io.rowlock.LockRequest;
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
 * @param keyPrefix what keeps the keys of this application apart from those of others; empty for none
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

    /** Ends a prefix in the tables, so that none is the beginning of another one. No key may have it either. */
    private static final char PREFIX_END = '\u001f';

    public LockClientSettings {
        if (owner.isBlank() || owner.length() > MAX_OWNER_LENGTH) {
            throw new IllegalArgumentException("The owner \"%s\" has %d characters, 1 to %d are possible"
                    .formatted(Printable.of(owner), owner.length(), MAX_OWNER_LENGTH));
        }
        checkPrefix(keyPrefix);
        LockRequest unused = LockRequest.exclusive("any").withTtl(ttl).withWaitTime(waitTime); // has their limits
        if (renewalInterval != null && (renewalInterval.isZero() || renewalInterval.isNegative())) {
            throw new IllegalArgumentException(
                    "The renewal interval must be positive, but is " + Printable.of(renewalInterval));
        }
    }

    private static void checkPrefix(String keyPrefix) {
        int prefixBytes = keyPrefix.getBytes(StandardCharsets.UTF_8).length;
        if (prefixBytes > MAX_PREFIX_BYTES) {
            throw new IllegalArgumentException("The key prefix \"%s\" has %d bytes of UTF-8, the limit is %d"
                    .formatted(Printable.of(keyPrefix), prefixBytes, MAX_PREFIX_BYTES));
        }
        if (!keyPrefix.equals(keyPrefix.strip())) {
            throw new IllegalArgumentException(
                    "The key prefix \"%s\" begins or ends with a blank".formatted(Printable.of(keyPrefix)));
        }
        if (keyPrefix.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    "The key prefix \"%s\" has a control character".formatted(Printable.of(keyPrefix)));
        }
    }

    /**
     * A key as the tables have it.
     *
     * @param key the key as the program names it, or what several of them begin with
     * @return the key with the prefix
     * @throws IllegalArgumentException if it is a key of an application with another prefix
     */
    public String stored(String key) {
        if (key.indexOf(PREFIX_END) >= 0) {
            throw new IllegalArgumentException(
                    "The lock key \"%s\" belongs to an application with another rowlock.key-prefix: the character U+001F ends a prefix"
                            .formatted(Printable.of(key)));
        }
        return keyPrefix.isEmpty() ? key : keyPrefix + PREFIX_END + key;
    }

    /**
     * Tells the keys of this application from those of others.
     *
     * @param stored a key as the tables have it
     * @return whether it is one of this application
     */
    public boolean owns(String stored) {
        return keyPrefix.isEmpty() ? stored.indexOf(PREFIX_END) < 0 : stored.startsWith(keyPrefix + PREFIX_END);
    }

    /**
     * A key as the program names it.
     *
     * @param stored a key of this application as the tables have it
     * @return the key without the prefix
     */
    public String named(String stored) {
        return stored.substring(stored("").length());
    }
}
