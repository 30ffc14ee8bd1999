package io.rowlock.leader;

import io.rowlock.Printable;
import java.time.Duration;

/**
 * Names what nodes elect a leader for. All nodes that stand for a role should give it the same values.
 *
 * @param name the name of the role; its lock is the key {@code "leader:" + name}
 * @param ttl how long a leader that died keeps the leadership; a living one renews it
 * @param interval how often a node tries to become leader, at most; a random part of it is left out, so that nodes do not
 *     try together
 * @param enabled whether this node stands for election; if not, it only knows who leads
 */
public record LeaderRole(String name, Duration ttl, Duration interval, boolean enabled) {
    /** The default of {@link #ttl()}. */
    public static final Duration DEFAULT_TTL = Duration.ofSeconds(5);

    /** The default of {@link #interval()}. */
    public static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(1);

    private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(10);
    private static final Duration LONGEST_INTERVAL = Duration.ofDays(3_650);
    private static final Duration LONGEST_TTL = Duration.ofDays(365);

    public LeaderRole {
        if (name.isBlank()) {
            throw new IllegalArgumentException("The name of a role must not be blank");
        }
        requireRange(name, "ttl", ttl, Duration.ofNanos(1), LONGEST_TTL);
        requireRange(name, "interval", interval, SHORTEST_INTERVAL, LONGEST_INTERVAL);
    }

    private static void requireRange(String name, String what, Duration value, Duration shortest, Duration longest) {
        if (value.compareTo(shortest) < 0 || value.compareTo(longest) > 0) {
            throw new IllegalArgumentException("The %s of role \"%s\" is %s, but %s to %s are possible"
                    .formatted(
                            what,
                            Printable.of(name),
                            Printable.of(value),
                            Printable.of(shortest),
                            Printable.of(longest)));
        }
    }

    /**
     * A role with the default ttl and interval, for which this node stands.
     *
     * @param name the name of the role
     * @return the role
     */
    public static LeaderRole named(String name) {
        return new LeaderRole(name, DEFAULT_TTL, DEFAULT_INTERVAL, true);
    }

    /**
     * @param ttl how long a leader that died keeps the leadership; positive
     * @return a copy with this ttl
     */
    public LeaderRole withTtl(Duration ttl) {
        return new LeaderRole(name, ttl, interval, enabled);
    }

    @Override
    public String toString() {
        return "LeaderRole[name=%s, ttl=%s, interval=%s, enabled=%s]"
                .formatted(Printable.of(name), Printable.of(ttl), Printable.of(interval), enabled);
    }
}
