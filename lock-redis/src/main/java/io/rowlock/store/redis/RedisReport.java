package io.rowlock.store.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a start-up line says of the server, and what makes locks weaker on it.
 *
 * @param description the version, how it is run, and what it keeps on disk
 * @param warnings whole sentences; empty if there is nothing to warn of
 */
public record RedisReport(String description, List<String> warnings) {
    public RedisReport {
        warnings = List.copyOf(warnings);
    }

    /**
     * Reads what {@code INFO} says.
     *
     * @param lines its answer
     * @param kind how the servers are run
     * @param alone whether no other server can take the place of this one
     * @param minReplicas how many replicas must have a lease before it counts as granted
     */
    static RedisReport of(String lines, String kind, boolean alone, int minReplicas) {
        Map<String, String> info = parse(lines);
        boolean appends = "1".equals(info.get("aof_enabled"));
        List<String> warnings = new ArrayList<>();
        String policy = info.getOrDefault("maxmemory_policy", "noeviction");
        if (!policy.equals("noeviction") && !info.getOrDefault("maxmemory", "0").equals("0")) {
            warnings.add(
                    ("Redis may evict locks when its memory is full: maxmemory-policy is %s, and lock keys expire. "
                                    + "Set it to noeviction, or keep the locks on a server of their own.")
                            .formatted(policy));
        }
        if (!alone) {
            warnings.add(
                    "Redis replicates asynchronously: after a fail-over two owners can hold a lock until the first one's next renewal.");
        }
        int replicas = Integer.parseInt(info.getOrDefault("connected_slaves", "0"));
        if (replicas < minReplicas) {
            warnings.add(
                    ("No lock of strategy redis can be acquired: rowlock.redis.min-replicas is %d, but the server has %d connected. "
                                    + "Lower it, or look at the replicas.")
                            .formatted(minReplicas, replicas));
        }
        String version = "%s %s"
                .formatted(
                        info.containsKey("valkey_version") ? "Valkey" : "Redis",
                        info.getOrDefault("valkey_version", info.getOrDefault("redis_version", "of unknown version")));
        return new RedisReport(
                "%s, %s, %s".formatted(version, kind, appends ? "append-only file" : "locks lost in a restart"),
                warnings);
    }

    private static Map<String, String> parse(String lines) {
        Map<String, String> info = new TreeMap<>();
        lines.lines().forEach(line -> {
            int colon = line.indexOf(':');
            if (colon > 0) {
                info.put(line.substring(0, colon), line.substring(colon + 1).strip());
            }
        });
        return info;
    }
}
