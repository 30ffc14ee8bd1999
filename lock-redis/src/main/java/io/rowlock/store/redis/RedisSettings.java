package io.rowlock.store.redis;

import java.time.Duration;

/**
 * The settings by which a process works with its Redis. The properties {@code rowlock.redis} check them.
 *
 * @param keyPrefix what all keys of the store begin with; without braces or blanks
 * @param commandTimeout how long an answer is waited for
 * @param connectTimeout how long a call waits for a connection that is being made anew, before it fails
 * @param keepIdle how long a lock key is kept after its last lease, so that its tokens go on growing whatever the clock does
 * @param promise how long a lease lasts at first that was granted to a waiter, which may have died; at most its ttl, at least
 *     twice the heartbeat
 * @param heartbeat how often a waiter asks, though its grant is announced to it
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
