package io.rowlock.store.redis;

import java.time.Duration;

/**
 * The settings by which a process works with its Redis.
 *
 * @param keyPrefix what all keys of the store begin with; without braces or blanks
 * @param commandTimeout how long an answer is waited for
 * @param connectTimeout how long a call waits for a connection that is being made anew, before it fails
 * @param keepIdle how long a lock key is kept after its last lease, so that its tokens go on growing whatever the clock does
 * @param promise how long a lease lasts at first that was granted to a waiter, which may have died; at most its ttl
 * @param heartbeat how often a waiter asks, though its turn is announced to it
 * @param minReplicas how many replicas must have a lease before it counts as granted; 0 for none
 * @param minReplicasTimeout how long they are waited for
 */
public record RedisSettings(
        String keyPrefix,
        Duration commandTimeout,
        Duration connectTimeout,
        Duration keepIdle,
        Duration promise,
        Duration heartbeat,
        int minReplicas,
        Duration minReplicasTimeout) {

    /** The number of heartbeats that a waiter may miss before it is passed over. */
    private static final double MISSED = 3.5;

    private static final Duration SHORTEST = Duration.ofMillis(10);
    private static final Duration LONGEST = Duration.ofDays(365);

    /** As it is unless configured. */
    public static final RedisSettings DEFAULT = new RedisSettings(
            "rowlock:",
            Duration.ofSeconds(3),
            Duration.ofSeconds(1),
            Duration.ofHours(1),
            Duration.ofSeconds(3),
            Duration.ofSeconds(1),
            0,
            Duration.ofSeconds(1));

    public RedisSettings {
        if (!keyPrefix.matches("[^{}\\s]+")) {
            throw new IllegalArgumentException(
                    "The key prefix in Redis is \"%s\", but must not be empty and must have no braces and no blanks"
                            .formatted(keyPrefix));
        }
        check("command timeout", commandTimeout, LONGEST);
        check("connect timeout", connectTimeout, LONGEST);
        check("time to keep idle keys", keepIdle, Duration.ofDays(3_650));
        check("promise", promise, LONGEST);
        check("heartbeat", heartbeat, LONGEST);
        check("time to wait for replicas", minReplicasTimeout, LONGEST);
        if (minReplicas < 0) {
            throw new IllegalArgumentException(
                    "The number of replicas is %d, but must not be negative".formatted(minReplicas));
        }
        if (promise.compareTo(heartbeat.multipliedBy(2)) < 0) {
            throw new IllegalArgumentException(
                    "The promise is %s, but must be at least twice the heartbeat of %s, from which on it counts"
                            .formatted(promise, heartbeat));
        }
    }

    private static void check(String what, Duration value, Duration longest) {
        if (value.compareTo(SHORTEST) < 0 || value.compareTo(longest) > 0) {
            throw new IllegalArgumentException(
                    "The %s is %s, but must be between %s and %s".formatted(what, value, SHORTEST, longest));
        }
    }

    /**
     * These settings with replicas that must have a lease before it counts as granted.
     *
     * @param replicas how many
     * @param timeout how long they are waited for
     * @return a copy
     */
    public RedisSettings withMinReplicas(int replicas, Duration timeout) {
        return new RedisSettings(
                keyPrefix, commandTimeout, connectTimeout, keepIdle, promise, heartbeat, replicas, timeout);
    }

    /** Returns how long a place in the queue counts after its waiter has asked. */
    Duration alive() {
        return Duration.ofNanos((long) (MISSED * heartbeat.toNanos()));
    }
}
