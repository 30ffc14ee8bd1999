package io.rowlock.autoconfigure;

import io.rowlock.store.redis.RedisSettings;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Locks in Redis.
 *
 * @param enabled Offers strategy redis if its module and a Lettuce connection factory are there.
 * @param keyPrefix Beginning of all keys in Redis, without braces or blanks. Locks of different prefixes do not exclude each
 * other.
 * @param commandTimeout How long an answer of Redis is waited for; after that, a silent connection is made anew.
 * @param connectTimeout How long a call waits for a connection or a new master, at most 3/4 of the command timeout.
 * @param keepIdle How long the key of an unused lock is kept.
 * @param promise First ttl of a lock granted to a waiting node, which may be dead. At least twice the heartbeat.
 * @param heartbeat Time between the safety polls of a waiting node, in case its notification is lost.
 * @param minReplicas How many replicas must have a lock before it counts as acquired; with fewer, the call fails.
 * @param minReplicasTimeout How long these replicas are waited for; less than the command timeout.
 * @param fence When a transaction notes the tokens of its locks: at its begin, right before its commit, or never (none).
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
        PropertyLimit.printable("rowlock.redis.key-prefix", keyPrefix);
        PropertyLimit.require(
                keyPrefix.matches("[^{}\\s]+"),
                "rowlock.redis.key-prefix",
                keyPrefix,
                "It must not be empty and must have no braces and no blanks.");
        timeout("rowlock.redis.command-timeout", commandTimeout);
        timeout("rowlock.redis.connect-timeout", connectTimeout);
        PropertyLimit.between("rowlock.redis.keep-idle", keepIdle, PropertyLimit.SECOND, PropertyLimit.TEN_YEARS);
        timeout("rowlock.redis.heartbeat", heartbeat);
        timeout("rowlock.redis.promise", promise);
        timeout("rowlock.redis.min-replicas-timeout", minReplicasTimeout);
        PropertyLimit.between("rowlock.redis.min-replicas", minReplicas, 0, 100);
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
        return new RedisSettings(
                keyPrefix,
                commandTimeout,
                connectTimeout,
                keepIdle,
                promise,
                heartbeat,
                minReplicas,
                minReplicasTimeout);
    }
}
