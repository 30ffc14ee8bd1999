package io.rowlock.autoconfigure;

import io.rowlock.store.redis.RedisSettings;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Locks in Redis.
 *
 * @param enabled Whether the strategy redis is there if its module and a Lettuce connection factory are.
 * @param keyPrefix What all keys in Redis begin with; without braces. Locks of different prefixes know nothing of each other.
 * @param commandTimeout How long an answer of Redis is waited for.
 * @param connectTimeout How long a call waits while the connection is being made anew, before it fails.
 * @param keepIdle How long the key of an unused lock is kept.
 * @param promise How long a lock lasts at first that was handed over to a waiting node; if that node has died, the next gets it
 * after that time. At least twice the heartbeat.
 * @param heartbeat How often a waiting node asks, though its turn is announced to it.
 * @param minReplicas How many replicas must have a lock before it counts as acquired.
 * @param minReplicasTimeout How long these replicas are waited for.
 * @param fence When a transaction of the lock tables' database notes the tokens of its locks there, and is refused its commit if it
 * finds greater ones: at its begin, right before its commit, or never.
 */
@ConfigurationProperties("rowlock.redis")
public record RowlockRedisProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("rowlock:") String keyPrefix,
        @DefaultValue("3s") Duration commandTimeout,
        @DefaultValue("1s") Duration connectTimeout,
        @DefaultValue("1h") Duration keepIdle,
        @DefaultValue("3s") Duration promise,
        @DefaultValue("1s") Duration heartbeat,
        @DefaultValue("0") int minReplicas,
        @DefaultValue("1s") Duration minReplicasTimeout,
        @DefaultValue("begin") Fence fence) {

    private static final int MOST_REPLICAS = 100;

    /** When transactions note the tokens of their locks. */
    public enum Fence {
        /** With their first statements. */
        BEGIN,
        /** With their last statements. */
        COMMIT,
        /** Not at all. */
        NONE
    }

    public RowlockRedisProperties {
        PropertyLimit.require(
                !keyPrefix.isEmpty() && !keyPrefix.contains("{") && !keyPrefix.contains("}"),
                "rowlock.redis.key-prefix",
                keyPrefix,
                "It must not be empty and must have no braces.");
        PropertyLimit.printable("rowlock.redis.key-prefix", keyPrefix);
        timeout("rowlock.redis.command-timeout", commandTimeout);
        timeout("rowlock.redis.connect-timeout", connectTimeout);
        PropertyLimit.between("rowlock.redis.keep-idle", keepIdle, Duration.ofSeconds(1), PropertyLimit.YEAR);
        timeout("rowlock.redis.heartbeat", heartbeat);
        timeout("rowlock.redis.promise", promise);
        timeout("rowlock.redis.min-replicas-timeout", minReplicasTimeout);
        PropertyLimit.require(
                minReplicas >= 0 && minReplicas <= MOST_REPLICAS,
                "rowlock.redis.min-replicas",
                minReplicas,
                "It must be 0 to %d.".formatted(MOST_REPLICAS));
        PropertyLimit.require(
                minReplicas == 0 || minReplicasTimeout.compareTo(commandTimeout) < 0,
                "rowlock.redis.min-replicas-timeout",
                minReplicasTimeout,
                "It must be shorter than rowlock.redis.command-timeout, which ends connections that do not answer.");
        PropertyLimit.require(
                promise.compareTo(heartbeat.multipliedBy(2)) >= 0,
                "rowlock.redis.promise",
                promise,
                "It must be at least twice rowlock.redis.heartbeat.");
    }

    private static void timeout(String property, Duration value) {
        PropertyLimit.between(property, value, Duration.ofMillis(10), PropertyLimit.HOUR);
    }

    public RedisSettings settings() {
        return new RedisSettings(keyPrefix, commandTimeout, connectTimeout, keepIdle, promise, heartbeat)
                .withMinReplicas(minReplicas, minReplicasTimeout);
    }
}
