package io.rowlock.store.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Describes the server for the start-up line, and warns of what makes locks weaker on it.
 *
 * @param description the version, how it is run, and what it keeps on disk
 * @param warnings whole sentences; empty if there is nothing to warn of
 */
public record RedisReport(String description, List<String> warnings) {
    public RedisReport {
        warnings = List.copyOf(warnings);
    }

    /**
     * Reads what {@code INFO} says of each master. What is weakest counts.
     *
     * @param infos the answers; one at least
     * @param kind how the servers are run
     * @param alone whether no other server can take the place of this one
     * @param minReplicas how many replicas must have a lease before it counts as granted
     */
    static RedisReport of(List<String> infos, String kind, boolean alone, int minReplicas) {
        List<Map<String, String>> masters =
                infos.stream().map(RedisReport::parse).toList();
        List<String> warnings = new ArrayList<>();
        masters.stream()
                .filter(RedisReport::evicts)
                .findFirst()
                .ifPresent(master -> warnings.add(
                        ("Redis may evict locks when its memory is full: maxmemory-policy is %s, and lock keys expire. "
                                        + "Set it to noeviction, or keep the locks on a server of their own.")
                                .formatted(policy(master))));
        if (!alone || replicas(infos) > 0) {
            warnings.add("Redis replicates asynchronously: after a fail-over two owners can hold a lock "
                    + (masters.stream().allMatch(RedisReport::stopsAlone)
                            ? "until the first one's next renewal."
                            : "until the first one reaches the new master. Set min-replicas-to-write, so that a master without replicas"
                                    + " renews no lock."));
        }
        if (replicas(infos) < minReplicas) {
            warnings.add(tooFew(infos, minReplicas));
        }
        boolean appends = masters.stream().allMatch(master -> "1".equals(master.get("aof_enabled")));
        return new RedisReport(
                "%s, %s, %s"
                        .formatted(
                                version(masters.get(0)),
                                kind,
                                appends ? "append-only file" : "locks lost in a restart"),
                warnings);
    }

    /** The sentence for servers of which one has too few replicas. */
    static String tooFew(List<String> infos, int minReplicas) {
        return ("No lock of strategy redis can be acquired%s: rowlock.redis.min-replicas is %d, but the server has %d connected. "
                        + "Lower it, or look at the replicas.")
                .formatted(
                        infos.size() == 1 ? "" : " whose key is on the master with the fewest replicas",
                        minReplicas,
                        replicas(infos));
    }

    /** Returns how many replicas the master has that has the fewest. */
    static int replicas(List<String> infos) {
        return infos.stream()
                .mapToInt(info -> Integer.parseInt(parse(info).getOrDefault("connected_slaves", "0")))
                .min()
                .orElse(0);
    }

    /** Returns true if a master that others have replaced answers no writes after a while. */
    private static boolean stopsAlone(Map<String, String> info) {
        return "1".equals(info.get("cluster_enabled")) || info.containsKey("min_slaves_good_slaves");
    }

    private static boolean evicts(Map<String, String> info) {
        return !policy(info).equals("noeviction")
                && !info.getOrDefault("maxmemory", "0").equals("0");
    }

    private static String policy(Map<String, String> info) {
        return info.getOrDefault("maxmemory_policy", "noeviction");
    }

    private static String version(Map<String, String> info) {
        return "%s %s"
                .formatted(
                        info.containsKey("valkey_version") ? "Valkey" : "Redis",
                        info.getOrDefault("valkey_version", info.getOrDefault("redis_version", "of unknown version")));
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
