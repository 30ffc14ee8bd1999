package io.rowlock.autoconfigure;

import io.rowlock.leader.LeaderRole;
import java.time.Duration;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * A role.
 *
 * @param ttl How long a dead leader keeps its role; a living one renews it.
 * @param interval How often a node tries to become leader, at most.
 * @param enabled Whether this node stands for election.
 */
public record RoleProperties(
        @DefaultValue("5s") Duration ttl,
        @DefaultValue("1s") Duration interval,
        @DefaultValue("true") boolean enabled) {
    public LeaderRole named(String name) {
        return new LeaderRole(name, ttl, interval, enabled);
    }

    static void check(String name, RoleProperties role) {
        String prefix = "rowlock.leader.roles." + name;
        PropertyLimit.positive(prefix + ".ttl", role.ttl(), PropertyLimit.YEAR);
        PropertyLimit.between(
                prefix + ".interval", role.interval(), RowlockProperties.SHORTEST_INTERVAL, PropertyLimit.TEN_YEARS);
    }
}
