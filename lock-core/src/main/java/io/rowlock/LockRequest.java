package io.rowlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The keys to lock and the way to lock them: an immutable value, checked when it is made, so that no SQL ever runs for a bad one.
 *
 * <p>A component left unset takes the client's default ({@code rowlock.ttl}, {@code rowlock.strategy},
 * {@code rowlock.renewal.enabled}); an unset wait time means {@code rowlock.wait-time} for {@link LockClient#acquire}
 * and {@link LockClient#execute}, and no wait for {@link LockClient#tryAcquire}.
 *
 * @param keys the keys, without duplicates, in the order in which they are acquired (sorted); all are acquired or none
 * @param mode exclusive, shared or a permit
 * @param ttl how long a holder that died keeps the lock, or null for the default
 * @param waitTime how long to wait for a busy lock, zero to try once, or null for the default
 * @param renewal whether the lease is renewed while the lock is held, or null for the default; without renewal the
 *     lock is lost when the ttl is over
 * @param strategy the name of the strategy that acquires it, or null for the default
 * @param holdAtLeast how long the lock stays held at least, counted from when it was granted, though it is closed
 *     earlier; zero for no such minimum
 * @param name what the lock is called in meters and events, where many keys are counted together; unless it is given, what
 *     the first key has before its first {@code ':'}, or {@code "other"}
 * @param onLost what happens to the thread if the lock is lost while it is held
 * @param permits how many holders a permit may have beside it, itself included; zero for every other mode
 */
public record LockRequest(
        List<String> keys,
        LockMode mode,
        @Nullable Duration ttl,
        @Nullable Duration waitTime,
        @Nullable Boolean renewal,
        @Nullable String strategy,
        Duration holdAtLeast,
        String name,
        OnLost onLost,
        int permits) {

    /** The most holders a key can have at a time: each attempt reads the rows of all. */
    public static final int MAX_PERMITS = 1_000;

    /** The most keys a request can have: each takes a statement, and the first is held while the last is asked for. */
    public static final int MAX_KEYS = 1_000;

    /** The longest duration any component takes, a year: longer ones are mistakes, and some servers cannot wait that long. */
    private static final Duration MAX = Duration.ofDays(365);

    public LockRequest {
        Objects.requireNonNull(mode, "mode");
        Objects.requireNonNull(holdAtLeast, "holdAtLeast");
        Objects.requireNonNull(onLost, "onLost");
        if (keys == null || keys.isEmpty()) {
            throw new IllegalArgumentException("A lock request needs at least one key");
        }
        keys.forEach(LockKey::validated);
        keys = keys.size() == 1
                ? List.copyOf(keys)
                : keys.stream().distinct().sorted().toList();
        if (keys.size() > MAX_KEYS) {
            throw new IllegalArgumentException(
                    "A lock request can have %d keys at most, but has %d; lock what they have in common instead"
                            .formatted(MAX_KEYS, keys.size()));
        }
        if (ttl != null && (ttl.isZero() || ttl.isNegative())) {
            throw new IllegalArgumentException("The ttl must be positive, but is " + Printable.of(ttl));
        }
        checkRange("ttl", ttl);
        checkRange("waitTime", waitTime);
        checkRange("holdAtLeast", holdAtLeast);
        if (strategy != null && strategy.isBlank()) {
            throw new IllegalArgumentException("The strategy must not be blank");
        }
        LockKey.validatedName(name);
        checkPermits(mode, permits);
    }

    private static void checkPermits(LockMode mode, int permits) {
        if (mode != LockMode.PERMIT && permits != 0) {
            throw new IllegalArgumentException(
                    "A request with %d permits must have mode PERMIT, but has %s".formatted(permits, mode));
        }
        if (mode == LockMode.PERMIT && (permits < 1 || permits > MAX_PERMITS)) {
            throw new IllegalArgumentException(
                    "The permits must be 1 to %d, but are %d".formatted(MAX_PERMITS, permits));
        }
    }

    private static void checkRange(String name, @Nullable Duration value) {
        if (value == null) {
            return;
        }
        if (value.isNegative()) {
            throw new IllegalArgumentException(
                    "The %s must not be negative, but is %s".formatted(name, Printable.of(value)));
        }
        if (value.compareTo(MAX) > 0) {
            throw new IllegalArgumentException(
                    "The %s is %s, the limit is %s".formatted(name, Printable.of(value), Printable.of(MAX)));
        }
    }

    /**
     * A request for an exclusive lock on every one of {@code keys}.
     *
     * @param keys at least one key; each non-empty and at most 255 bytes of UTF-8
     * @return the request
     * @throws IllegalArgumentException if there is no key, or one is empty or too long
     */
    public static LockRequest exclusive(String... keys) {
        return exclusive(Arrays.asList(keys));
    }

    /**
     * A request for an exclusive lock on every one of {@code keys}.
     *
     * @param keys at least one key; each non-empty and at most 255 bytes of UTF-8
     * @return the request
     * @throws IllegalArgumentException if there is no key, or one is empty or too long
     */
    public static LockRequest exclusive(Collection<String> keys) {
        return of(LockMode.EXCLUSIVE, keys);
    }

    /**
     * A request for a shared lock on every one of {@code keys}.
     *
     * @param keys at least one key; each non-empty and at most 255 bytes of UTF-8
     * @return the request
     * @throws IllegalArgumentException if there is no key, or one is empty or too long
     */
    public static LockRequest shared(String... keys) {
        return shared(Arrays.asList(keys));
    }

    /**
     * A request for a shared lock on every one of {@code keys}.
     *
     * @param keys at least one key; each non-empty and at most 255 bytes of UTF-8
     * @return the request
     * @throws IllegalArgumentException if there is no key, or one is empty or too long
     */
    public static LockRequest shared(Collection<String> keys) {
        return of(LockMode.SHARED, keys);
    }

    /**
     * A request for a permit: the key has at most {@code permits} holders at a time, in all processes. A holder that asked for
     * fewer counts as well, so lowering the number takes effect as holders leave, and revokes no permit.
     *
     * <p>A second permit for the same thread is a second permit. Permits and exclusive locks of one key exclude each other;
     * shared locks and permits do not.
     *
     * @param key a key; non-empty and at most 255 bytes of UTF-8
     * @param permits how many holders at most, 1 to {@value #MAX_PERMITS}
     * @return the request
     * @throws IllegalArgumentException if the key is empty or too long, or the number out of range
     */
    public static LockRequest permit(String key, int permits) {
        return plain(LockMode.PERMIT, Collections.singletonList(key), permits);
    }

    /**
     * A request in the given mode, with every other component at its default.
     *
     * @param mode exclusive or shared; for a permit there is {@link #permit}
     * @param keys at least one key; each non-empty and at most 255 bytes of UTF-8
     * @return the request
     * @throws IllegalArgumentException if there is no key, or one is empty or too long
     */
    public static LockRequest of(LockMode mode, Collection<String> keys) {
        return plain(mode, keys instanceof List<String> list ? list : new ArrayList<>(keys), 0);
    }

    private static LockRequest plain(LockMode mode, List<String> keys, int permits) {
        return new LockRequest(
                keys, mode, null, null, null, null, Duration.ZERO, LockKey.name(keys), OnLost.NOTIFY, permits);
    }

    /**
     * @param ttl how long a holder that died keeps the lock; positive
     * @return a copy with this ttl
     * @throws IllegalArgumentException if it is not positive
     */
    public LockRequest withTtl(Duration ttl) {
        return new LockRequest(keys, mode, ttl, waitTime, renewal, strategy, holdAtLeast, name, onLost, permits);
    }

    /**
     * @param waitTime how long to wait for a busy lock; zero tries once
     * @return a copy with this wait time
     * @throws IllegalArgumentException if it is negative
     */
    public LockRequest withWaitTime(Duration waitTime) {
        return new LockRequest(keys, mode, ttl, waitTime, renewal, strategy, holdAtLeast, name, onLost, permits);
    }

    /**
     * @param renewal whether the lease is renewed while the lock is held
     * @return a copy with this setting
     */
    public LockRequest withRenewal(boolean renewal) {
        return new LockRequest(keys, mode, ttl, waitTime, renewal, strategy, holdAtLeast, name, onLost, permits);
    }

    /**
     * @param strategy the name of a strategy, as {@code rowlock.strategy} takes it
     * @return a copy with this strategy
     * @throws IllegalArgumentException if it is blank
     */
    public LockRequest withStrategy(String strategy) {
        return new LockRequest(keys, mode, ttl, waitTime, renewal, strategy, holdAtLeast, name, onLost, permits);
    }

    /**
     * @param holdAtLeast how long the lock stays held at least, counted from when it was granted
     * @return a copy with this minimum
     * @throws IllegalArgumentException if it is negative
     */
    public LockRequest withHoldAtLeast(Duration holdAtLeast) {
        return new LockRequest(keys, mode, ttl, waitTime, renewal, strategy, holdAtLeast, name, onLost, permits);
    }

    /**
     * @param name what the lock is called in meters and events: a word for all locks of a kind, never one that is
     *     different for each key; not blank, at most 255 bytes of UTF-8, without control characters
     * @return a copy with this name
     * @throws IllegalArgumentException if it is none
     */
    public LockRequest withName(String name) {
        return new LockRequest(keys, mode, ttl, waitTime, renewal, strategy, holdAtLeast, name, onLost, permits);
    }

    /**
     * @param onLost what happens to the thread if the lock is lost while it is held
     * @return a copy with this setting
     */
    public LockRequest withOnLost(OnLost onLost) {
        return new LockRequest(keys, mode, ttl, waitTime, renewal, strategy, holdAtLeast, name, onLost, permits);
    }

    /** In one line, whatever the keys contain. */
    @Override
    public String toString() {
        return Printable.of(
                "LockRequest[keys=%s, mode=%s, ttl=%s, waitTime=%s, renewal=%s, strategy=%s, holdAtLeast=%s, name=%s, onLost=%s, permits=%d]"
                        .formatted(keys, mode, ttl, waitTime, renewal, strategy, holdAtLeast, name, onLost, permits));
    }
}
